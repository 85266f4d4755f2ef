import { works, type Work } from '../load/calls.ts';
import type { Surface } from '../load/requests.ts';
import { median, medianMemoryRatio, medianRatio, medianStartRatio, samplesOf } from './medians.ts';
import type { Cell, Sample, Start } from './sample.ts';

/** What the gateway is meant to reach, and whether it does. */
export interface Verdict {
  readonly work: string;
  readonly target: string;
  /** Undefined if it wasn't measured. */
  readonly measured: number | undefined;
  readonly unit: '×' | 's' | '';
  readonly met: boolean | undefined;
}

const SURFACE_NAMES: Readonly<Record<Surface, string>> = { rest: 'REST', graphql: 'GraphQL' };
const SINGLE_WORKS = works.filter((work) => work !== 'mix');
const SURFACES: readonly Surface[] = ['rest', 'graphql'];

/** Requests per second at 32 connections: at least so many times the peer's. */
const RATES: readonly (readonly [Surface, Work, Readonly<Record<string, number>>])[] = [
  ['rest', 'hot', { 'express-prisma': 5, 'fastify-pg': 2.5, sofa: 9 }],
  ['rest', 'mixed', { 'express-prisma': 2.5, 'fastify-pg': 1 }],
  ['rest', 'get', { 'express-prisma': 5, 'fastify-pg': 1.3 }],
  ['rest', 'create', { 'express-prisma': 1.5, 'fastify-pg': 1 }],
  ['graphql', 'hot', { mercurius: 3, postgraphile: 2.5, yoga: 4 }],
  ['graphql', 'mixed', { mercurius: 2 }],
  ['graphql', 'get', { mercurius: 2 }],
  ['graphql', 'create', { mercurius: 2 }],
];

/** The median answer at one connection: at most so many times the peer's time. */
const SINGLE_CONNECTION: readonly (readonly [Surface, string, number])[] = [
  ['rest', 'express-prisma', 1.1],
  ['graphql', 'mercurius', 1],
];

const GROWTH = { smallest: 'growth-1000', largest: 'growth-1000000', most: 1.1 };
const MEMORY = { peer: 'express-prisma', most: 1.3 };
const START = { seconds: 1.5, most: 1.2 };

/**
 * Every target, those of rates first.
 *
 * @param limits names of the servers that do none of the work, and are nobody's peers
 */
export function verdicts(
  samples: readonly Sample[],
  starts: readonly Start[],
  limits: ReadonlySet<string>,
): readonly Verdict[] {
  const cpu = median(starts.filter(({ program }) => program === 'ours').map((start) => start.cpu));
  return [
    ...RATES.flatMap(([surface, work, factors]) =>
      Object.entries(factors).map(([peer, factor]) => {
        const cell = { server: 'ours', surface, work, connections: 32 };
        const measured = medianRatio(samples, cell, { ...cell, server: peer }, 'requestsPerSecond');
        return atLeast(nameOf(cell), `${factor} × ${peer}`, factor, measured);
      }),
    ),
    none('creates answered, but not in the table', lostCreates(samples)),
    ...SINGLE_CONNECTION.flatMap(([surface, peer, factor]) =>
      SINGLE_WORKS.map((work) => {
        const cell = { server: 'ours', surface, work, connections: 1 };
        const measured = medianRatio(samples, cell, { ...cell, server: peer }, 'p50');
        return atMost(`${nameOf(cell)}, p50`, `${factor} × ${peer}`, factor, measured);
      }),
    ),
    ...SURFACES.flatMap((surface) =>
      SINGLE_WORKS.flatMap((work) => {
        const cell = { server: 'ours', surface, work, connections: 256 };
        return [
          none(`${nameOf(cell)}, errors`, errorsOf(samples, cell)),
          atMost(`${nameOf(cell)}, p99`, "the best peer's", 1, worstTail(samples, cell, limits)),
        ];
      }),
    ),
    ...SURFACES.flatMap((surface) =>
      SINGLE_WORKS.map((work) => {
        const cell = { server: GROWTH.smallest, surface, work, connections: 32 };
        const largest = { ...cell, server: GROWTH.largest };
        const measured = medianRatio(samples, cell, largest, 'requestsPerSecond');
        const name = `${SURFACE_NAMES[surface]} ${work}, 1,000 → 1,000,000 animals`;
        return atMost(name, `${GROWTH.most} × the time`, GROWTH.most, measured);
      }),
    ),
    ...(['rss', 'pss'] as const).map((figure) =>
      atMost(
        `memory after the load, ${figure.toUpperCase()}`,
        `${MEMORY.most} × ${MEMORY.peer}`,
        MEMORY.most,
        medianMemoryRatio(samples, 'ours', MEMORY.peer, figure),
      ),
    ),
    { ...atMost('start, CPU time', `${START.seconds} s`, START.seconds, cpu), unit: 's' },
    atMost(
      'start, CPU time',
      `${START.most} × imports + PostgreSQL`,
      START.most,
      medianStartRatio(starts),
    ),
  ];
}

function atLeast(work: string, target: string, least: number, measured?: number): Verdict {
  const met = measured === undefined ? undefined : measured >= least;
  return { work, target: `≥ ${target}`, measured, unit: '×', met };
}

function atMost(work: string, target: string, most: number, measured?: number): Verdict {
  const met = measured === undefined ? undefined : measured <= most;
  return { work, target: `≤ ${target}`, measured, unit: '×', met };
}

function none(work: string, measured: number | undefined): Verdict {
  const met = measured === undefined ? undefined : measured === 0;
  return { work, target: 'none', measured, unit: '', met };
}

function nameOf({ surface, work, connections }: Cell): string {
  return `${SURFACE_NAMES[surface]} ${work} at ${connections}`;
}

function lostCreates(samples: readonly Sample[]): number | undefined {
  const ours = samples.filter(({ cell }) => cell.server === 'ours' && cell.work === 'create');
  return ours.length === 0 ? undefined : ours.reduce((sum, { lost }) => sum + lost, 0);
}

function errorsOf(samples: readonly Sample[], cell: Cell): number | undefined {
  const found = samplesOf(samples, cell);
  return found.length === 0 ? undefined : found.reduce((sum, { errors }) => sum + errors, 0);
}

/** Our p99 as a multiple of that of the peer who does best against us. */
function worstTail(
  samples: readonly Sample[],
  cell: Cell,
  limits: ReadonlySet<string>,
): number | undefined {
  const servers = new Set(samples.map((sample) => sample.cell.server));
  const ratios = [...servers]
    .filter((server) => server !== cell.server && !limits.has(server))
    .map((server) => medianRatio(samples, cell, { ...cell, server }, 'p99'))
    .filter((measured) => measured !== undefined);
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}
