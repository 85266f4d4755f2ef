import { reportedWorkloads, workloads, type Workload } from './load/calls.ts';
import type { Surface } from './load/requests.ts';
import type { Cell } from './figures/sample.ts';

/** Number of animals in the comparison. */
export const PETS = 100_000;

/** Numbers of animals for measuring how time grows with the table. */
export const GROWTH = [1_000, 100_000, 1_000_000] as const;

/** The gateway's name among the servers. */
export const OURS = 'ours';

/** Enough connections for requests to wait for each other; their p99 is compared. */
export const MANY_CONNECTIONS = 256;

/** Minimum seconds for measuring a p99; in a shorter time, there are too few requests. */
const TAIL_SECONDS = 9;

const CONNECTIONS = [1, 32, MANY_CONNECTIONS] as const;
const SURFACES = ['rest', 'graphql'] as const satisfies readonly Surface[];
/** All workloads except the mix, which consists of the others. */
export const SINGLE_WORKLOADS = workloads.filter((workload) => workload !== 'mix');

export interface Competitor {
  readonly name: string;
  readonly surfaces: readonly Surface[];
  /** Whether it also supports lists by ids, changes and removals. */
  readonly changes?: true;
}

/** Whether the report shows a workload. The others are for --only, and for separate programs. */
export function isReported(workload: Workload): boolean {
  return reportedWorkloads.some((reported) => reported === workload);
}

/** Cells that are compared with each other, to be measured one right after the other. */
export type Group = readonly Cell[];

/** Everything that can be measured. Our server is one of the competitors. */
export function groupsOf(competitors: readonly Competitor[]): readonly Group[] {
  return SURFACES.flatMap((surface) =>
    comparisons(competitors, surface).concat(
      reportedWorkloads.map((workload) => growth(surface, workload)),
    ),
  );
}

function comparisons(competitors: readonly Competitor[], surface: Surface): readonly Group[] {
  const servers = competitors.filter(({ surfaces }) => surfaces.includes(surface));
  return workloads.flatMap((workload) =>
    connectionsOf(workload).map((connections) =>
      servers
        .filter(({ changes }) => changes ?? (isReported(workload) || workload === 'mix'))
        .map(({ name: server }) => ({ server, surface, workload, connections })),
    ),
  );
}

function growth(surface: Surface, workload: Workload): Group {
  return GROWTH.map((pets) => ({ server: `growth-${pets}`, surface, workload, connections: 32 }));
}

/** Rotates a group, so that each round starts with a different member. */
export function rotated(group: Group, round: number): Group {
  const first = group.length === 0 ? 0 : round % group.length;
  return [...group.slice(first), ...group.slice(0, first)];
}

/** Seconds for measuring a cell, given the seconds for the others. */
export function secondsOf({ connections }: Cell, seconds: number): number {
  return connections >= MANY_CONNECTIONS ? Math.max(TAIL_SECONDS, seconds) : seconds;
}

/** Number of animals in a server's table. */
export function petsOf(server: string): number {
  return Number(/^growth-(\d+)$/.exec(server)?.[1] ?? PETS);
}

function connectionsOf(workload: Workload): readonly number[] {
  return workload === 'mix' ? [32] : CONNECTIONS;
}
