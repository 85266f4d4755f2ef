import { peers } from './peers/peers.ts';
import { type Competitor, OURS } from './plan.ts';

/** The servers that are compared: the gateway and its peers. */
export const competitors: readonly Competitor[] = [
  { name: OURS, surfaces: ['rest', 'graphql'], changes: true },
  ...peers,
];

/** Servers that return a constant response. They show the upper limit, and aren't compared. */
export const LIMITS: ReadonlySet<string> = new Set(
  peers.filter(({ limit }) => limit).map(({ name }) => name),
);
