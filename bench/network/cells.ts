import { cellName } from '../figures/sample.ts';
import { reportedWorks } from '../load/calls.ts';
import { type Group, OURS } from '../plan.ts';

/** Of a network within a data centre, and between two: milliseconds. */
export const ROUND_TRIPS = [0.5, 2] as const;

export const PEERS = { rest: ['fastify-pg', 'express-prisma'], graphql: ['mercurius'] } as const;

const GROUPS: readonly Group[] = (['rest', 'graphql'] as const).flatMap((surface) =>
  reportedWorks.flatMap((work) =>
    [1, 32].map((connections) =>
      [OURS, ...PEERS[surface]].map((server) => ({ server, surface, work, connections })),
    ),
  ),
);

/** What is measured with a round trip of so many milliseconds. */
export interface Distance {
  readonly roundTrip: number;
  readonly groups: readonly Group[];
}

/** All that is measured, or what fits the pattern of a name such as `0.5/ours/rest/get/32`. */
export function distancesOf(only?: RegExp): readonly Distance[] {
  return ROUND_TRIPS.map((roundTrip) => ({
    roundTrip,
    groups: GROUPS.map((group) =>
      group.filter((cell) => only?.test(`${roundTrip}/${cellName(cell)}`) ?? true),
    ).filter(({ length }) => length > 0),
  })).filter(({ groups }) => groups.length > 0);
}
