import type { Cell } from './figures/sample.ts';
import { GROWTH, type Group, isReported, OURS, secondsOf } from './plan.ts';

/** Maximum minutes of the default run, on any machine. */
export const BUDGET = 25;

/**
 * Seconds that each cell takes in addition to its measurement: for calibration, warm-up, and its share of seeding and starting
 * all servers.
 */
const COSTS = { cell: 0.9, calibration: 1.2, warmUp: 1.3, start: 4, servers: 30 };

/** Servers that the default run measures at 32 connections. */
const COMPARED: ReadonlySet<string> = new Set([
  OURS,
  'express-prisma',
  'fastify-prisma',
  'fastify-pg',
  'yoga',
  'mercurius',
]);

/** The fastest peer of each API, which our server is compared with at 1 and at 256 connections. */
const FASTEST: ReadonlySet<string> = new Set([OURS, 'fastify-pg', 'mercurius']);

const [SMALLEST, , LARGEST] = GROWTH;
const GROWN: ReadonlySet<string> = new Set([SMALLEST, LARGEST].map((pets) => `growth-${pets}`));

/** Whether the default run measures a cell. The other cells are for --only. */
export function isOfReport({ server, workload, connections }: Cell): boolean {
  if (!isReported(workload)) return false;
  if (GROWN.has(server)) return workload === 'mixed' || workload === 'get';
  return (connections === 32 ? COMPARED : FASTEST).has(server);
}

/** The groups of a round. Growth and numbers of connections other than 32 are measured only in every other round. */
export function groupsOfRound(groups: readonly Group[], round: number): readonly Group[] {
  return round % 2 === 0
    ? groups
    : groups.filter((group) =>
        group.every(({ server, connections }) => connections === 32 && !GROWN.has(server)),
      );
}

/** Seconds to measure a group once, and to calibrate after it. */
export function secondsOfGroup(group: Group, seconds: number): number {
  return group.reduce(
    (sum, cell) => sum + COSTS.cell + secondsOf(cell, seconds),
    COSTS.calibration,
  );
}

/** Estimates a run's seconds, and how many of them come after its last round. */
export function reckon(groups: readonly Group[], rounds: number, seconds: number) {
  const workloads = new Set(
    groups.flat().map(({ server, surface, workload }) => `${server} ${surface} ${workload}`),
  );
  const measuring = Array.from({ length: rounds }, (_, round) => groupsOfRound(groups, round))
    .flat()
    .reduce((sum, group) => sum + secondsOfGroup(group, seconds), 0);
  const after = COSTS.start * rounds;
  return { total: COSTS.servers + workloads.size * COSTS.warmUp + measuring + after, after };
}
