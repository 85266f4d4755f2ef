import { peers } from './peers/peers.ts';
import { type Competitor, OURS } from './plan.ts';

/** Who is compared: ours, and the peers. */
export const competitors: readonly Competitor[] = [
  { name: OURS, surfaces: ['rest', 'graphql'], changes: true },
  ...peers,
];

/** Servers that do none of the work, and are nobody's peers. */
export const LIMITS: ReadonlySet<string> = new Set(
  peers.filter(({ limit }) => limit).map(({ name }) => name),
);
