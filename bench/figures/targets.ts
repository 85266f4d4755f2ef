import { reportedWorkloads, type Workload } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { MANY_CONNECTIONS, OURS } from '../plan.ts';
import { median, medianFigure, medianMemory, medianMemoryRatio, medianRatio } from './medians.ts';
import type { Cell, Measured, Sample } from './sample.ts';
import { atLeast, atMost, plain, type Verdict } from './verdict.ts';

/** The peers that are compared at 32 connections. */
const PEERS = ['express-prisma', 'fastify-prisma', 'fastify-pg', 'mercurius', 'yoga'];

/** Targets for requests per second at 32 connections: the minimum ratios to the peer's. */
const RATES: Readonly<
  Record<Surface, Readonly<Record<string, Partial<Record<Workload, number>>>>>
> = {
  rest: {
    'express-prisma': { hot: 7, mixed: 2.5, get: 4.5 },
    'fastify-prisma': { create: 3 },
    'fastify-pg': { hot: 3.5, mixed: 1.3, get: 1.3, create: 1.5 },
  },
  graphql: {
    mercurius: { hot: 3.5, mixed: 3, get: 3, create: 3 },
  },
};

/** Targets for the CPU microseconds of the server's process. */
const CPU: Readonly<Record<Surface, Partial<Record<Workload, number>>>> = {
  rest: { hot: 35, get: 50 },
  graphql: {},
};

const GROWTH = { smallest: 'growth-1000', largest: 'growth-1000000', most: 1.1 };
const MEMORY_PEER = 'express-prisma';
const START_SECONDS = 0.3;
const SURFACES: readonly Surface[] = ['rest', 'graphql'];

/**
 * Returns all figures of the page, with their targets if they have one.
 *
 * @param limits names of the servers that return a constant response and aren't compared
 */
export function verdicts(measured: Measured, limits: ReadonlySet<string>): readonly Verdict[] {
  const { samples } = measured;
  return [
    ...SURFACES.flatMap((surface) =>
      reportedWorkloads.flatMap((workload) =>
        verdictsOfWorkload(samples, surface, workload, limits),
      ),
    ),
    ...verdictsOfProcess(measured),
  ];
}

function verdictsOfWorkload(
  samples: readonly Sample[],
  surface: Surface,
  workload: Workload,
  limits: ReadonlySet<string>,
): Verdict[] {
  const cell = { server: OURS, surface, workload, connections: 32 };
  const many = { ...cell, connections: MANY_CONNECTIONS };
  const single = { ...cell, connections: 1 };
  const smallest = { ...cell, server: GROWTH.smallest };
  const largest = { ...cell, server: GROWTH.largest };
  const rate = (of: Cell, to: Cell) => medianRatio(samples, of, to, 'requestsPerSecond');
  const worst = (of: Cell, figure: 'p50' | 'p99') => worstRatio(samples, of, figure, limits);
  const cpu = medianFigure(samples, cell, 'serverCpu');
  return [
    plain('requests/s', medianFigure(samples, cell, 'requestsPerSecond'), 0),
    ...PEERS.map((server) =>
      atLeast(`÷ ${server}`, rate(cell, { ...cell, server }), RATES[surface][server]?.[workload]),
    ),
    atMost('CPU, µs', cpu, CPU[surface][workload], 0),
    plain("PostgreSQL's CPU, µs", medianFigure(samples, cell, 'databaseCpu'), 0),
    atLeast('requests/s at 256 ÷ at 32', rate(many, cell), 0.95),
    plain('p99 at 256, ms', medianFigure(samples, many, 'p99'), 1),
    atMost("÷ the best peer's", worst(many, 'p99'), 1),
    plain('p50 at 1, ms', medianFigure(samples, single, 'p50')),
    atMost("÷ the fastest peer's", worst(single, 'p50'), 1),
    atMost('time with 1,000,000 animals ÷ 1,000', rate(smallest, largest), GROWTH.most),
  ].map((verdict) => Object.assign(verdict, { of: { surface, workload } }));
}

function verdictsOfProcess({ samples, starts, idle }: Measured): Verdict[] {
  const ours = starts.filter(({ program }) => program === 'ours');
  const memory = (figure: 'rss' | 'pss') => medianMemoryRatio(samples, OURS, MEMORY_PEER, figure);
  return [
    atMost('errors', total(samples, 'errors'), 0, 0),
    atMost('acknowledged creates missing from the table', total(samples, 'lost'), 0, 0),
    plain('RSS when idle, MiB', idle[OURS], 0),
    atMost(`÷ ${MEMORY_PEER}'s`, ratioOf(idle[OURS], idle[MEMORY_PEER]), 1),
    plain('RSS after the load, MiB', medianMemory(samples, OURS, 'rss'), 0),
    atMost(`÷ ${MEMORY_PEER}'s`, memory('rss'), 1),
    atMost(`PSS after the load ÷ ${MEMORY_PEER}'s`, memory('pss'), 1),
    atMost('seconds to the first response', median(ours.map(({ wall }) => wall)), START_SECONDS),
    atMost('seconds of CPU time until then', median(ours.map(({ cpu }) => cpu)), START_SECONDS),
  ];
}

function ratioOf(of: number | undefined, to: number | undefined): number | undefined {
  return of === undefined || to === undefined ? undefined : of / to;
}

function total(samples: readonly Sample[], figure: 'errors' | 'lost'): number | undefined {
  const ours = samples.filter(({ cell }) => cell.server === OURS);
  return ours.length === 0 ? undefined : ours.reduce((sum, sample) => sum + sample[figure], 0);
}

/** The ratio of our time to that of the peer with the best time. */
function worstRatio(
  samples: readonly Sample[],
  cell: Cell,
  figure: 'p50' | 'p99',
  limits: ReadonlySet<string>,
): number | undefined {
  const { surface, workload, connections } = cell;
  // Growth cells have the same surface and workload, but a different number of connections.
  const compared = samples
    .map((sample) => sample.cell)
    .filter(
      (of) => of.surface === surface && of.workload === workload && of.connections === connections,
    );
  const ratios = [...new Set(compared.map(({ server }) => server))]
    .filter((server) => server !== cell.server && !limits.has(server))
    .map((server) => medianRatio(samples, cell, { ...cell, server }, figure))
    .filter((measured) => measured !== undefined);
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}
