import { cellName } from '../figures/sample.ts';
import type { Work } from '../load/calls.ts';
import type { Group } from '../plan.ts';

/** PostgreSQL without Citus, which the others are compared with. */
export const PLAIN = 'plain';

/** How many workers the cluster has behind each gateway; 0 is PostgreSQL without Citus. */
export const CLUSTERS: ReadonlyMap<string, number> = new Map([
  [PLAIN, 0],
  ['citus-1', 1],
  ['citus-2', 2],
  ['citus-4', 4],
]);

/** Kinds of requests, and what the table calls them. */
export const WORKS = [
  ['by-id', 'list by id'],
  ['mixed', 'filtered list'],
  ['get', 'get'],
  ['create', 'create'],
  ['keyed-create', 'keyed create'],
  ['change', 'change'],
  ['mix', 'mixed'],
] as const satisfies readonly (readonly [Work, string])[];

/** So many connections that requests are batched. */
export const BUSY = 32;

/** All that is measured, or what fits the pattern of a name such as `citus-2/rest/get/32`. */
export function groupsOf(only: RegExp | undefined): readonly Group[] {
  return WORKS.flatMap(([work]) =>
    [1, BUSY].map((connections) =>
      [...CLUSTERS.keys()]
        .map((server) => ({ server, surface: 'rest', work, connections }) as const)
        .filter((cell) => only?.test(cellName(cell)) ?? true),
    ),
  ).filter(({ length }) => length > 0);
}
