import { describe, expect, test } from 'vitest';
import { changeCosts, peersTable } from '../../bench/crud/tables.ts';
import { outliers, steadier, type GroupRun } from '../../bench/figures/group-run.ts';
import { median, medianMemoryRatio, medianRatio } from '../../bench/figures/medians.ts';
import type { Cell, Sample } from '../../bench/figures/sample.ts';
import type { Speed } from '../../bench/figures/speed.ts';
import { verdicts } from '../../bench/figures/targets.ts';
import { parseWrkOutput } from '../../bench/figures/wrk-output.ts';
import { missedTargets, targetsOfProcess, targetsTable } from '../../bench/report/targets-table.ts';
import { benchSample as sample } from '../support/bench-machine.ts';

/** The output of wrk 4.1, which prints a space after seconds. */
function wrkOutput({
  requests = 36_513,
  p50 = '1.63ms',
  p99 = '86.31ms',
  errors = '',
  refused = 0,
} = {}): string {
  return `Running 3s test @ http://127.0.0.1:35131
  2 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     5.81ms   15.19ms 155.23ms   95.44%
  Latency Distribution
     50%  ${p50}
     75%    2.47ms
     99%  ${p99}
  ${requests} requests in 3.01s, 51.54MB read
${errors}Requests/sec:  12137.29
Refused: ${refused}
Seconds: 2.76
`;
}

test.each([
  ['1.63ms', 1.63],
  ['250.00us', 0.25],
  ['1.07s ', 1070],
  ['1.50m ', 90_000],
])('in wrk output, a latency of %j is parsed as %d ms', (p99, milliseconds) => {
  expect(parseWrkOutput(wrkOutput({ p50: '0.93ms', p99 }))).toEqual({
    requests: 36_513,
    requestsPerSecond: 36_513 / 2.76,
    p50: 0.93,
    p99: milliseconds,
    errors: 0,
  });
});

const sockets = '  Socket errors: connect 1, read 20, write 300, timeout 4000\n';
const statuses = '  Non-2xx or 3xx responses: 50000\n';
test.each([
  ['socket errors and error statuses', { errors: sockets + statuses }, 54_321],
  ['GraphQL errors with status 200', { refused: 7 }, 7],
  [
    'responses with an error status and GraphQL errors, each once,',
    { errors: statuses, refused: 50_007 },
    50_007,
  ],
])('%s count as errors', (_kind, printed, errors) => {
  expect(parseWrkOutput(wrkOutput(printed)).errors).toBe(errors);
});

test('a run without any response counts as one error with infinite latency', () => {
  const silence = wrkOutput({ requests: 0, p50: '0.00us', p99: '0.00us' });
  expect(parseWrkOutput(silence)).toMatchObject({ p50: Infinity, p99: Infinity, errors: 1 });
});

test.each([['unable to connect to 127.0.0.1:1'], [wrkOutput({ p99: '12parsecs' })]])(
  'parsing wrk output without a result throws: %j',
  (output) => {
    expect(() => parseWrkOutput(output)).toThrow(/^wrk /);
  },
);

const CELL: Cell = { server: 'ours', surface: 'rest', workload: 'hot', connections: 32 };

test.each([
  [[3, 1, 2], 2],
  [[10, 1, 2, 9], 5.5],
  [[], undefined],
])('the median of %j is %j', (numbers, expected) => {
  expect(median(numbers)).toBe(expected);
});

test('a ratio between servers is the median of its values in the rounds that measured both', () => {
  // The machine was ten times slower in the second round, and three times faster in the third.
  const samples = [
    ...[100, 20, 900].map((rate, round) => sample('ours', round, { requestsPerSecond: rate })),
    ...[50, 5, 300].map((rate, round) => sample('peer', round, { requestsPerSecond: rate })),
    sample('ours', 3, { requestsPerSecond: 1 }),
    sample('peer', 4, { requestsPerSecond: 1 }),
  ];
  const ratioTo = (server: string) =>
    medianRatio(samples, CELL, { ...CELL, server }, 'requestsPerSecond');
  expect([ratioTo('peer'), ratioTo('another')]).toEqual([3, undefined]);
});

test('memory ratios use each server’s last sample of a round', () => {
  const samples = [
    sample('ours', 0, { rss: 100 }),
    sample('peer', 0, { rss: 50, workload: 'get' }),
    sample('ours', 0, { rss: 300, surface: 'graphql' }),
    sample('peer', 0, { rss: 200, workload: 'create' }),
  ];
  expect(medianMemoryRatio(samples, 'ours', 'peer', 'rss')).toBe(1.5);
});

const rate = (server: string, requestsPerSecond: number, connections = 32) =>
  sample(server, 0, { requestsPerSecond, connections });

describe('targets', () => {
  const limits = new Set(['node-http']);

  test.each<[row: string, cell: string, samples: readonly Sample[]]>([
    ['÷ express-prisma', '7.00 < 7', [rate('ours', 699.9), rate('express-prisma', 100)]],
    ['÷ express-prisma', '7.00 ≥ 7', [rate('ours', 700), rate('express-prisma', 100)]],
    [
      "÷ the fastest peer's",
      '1.20 > 1',
      [
        sample('ours', 0, { p50: 1.2, connections: 1 }),
        sample('express-prisma', 0, { p50: 3, connections: 1 }),
        sample('fastify-pg', 0, { p50: 1, connections: 1 }),
      ],
    ],
    [
      // Neither node-http, which is a limit, nor growth-1000 is a peer.
      "÷ the best peer's",
      '1.50 > 1',
      [
        sample('ours', 0, { p99: 30, connections: 256 }),
        sample('sofa', 0, { p99: 100, connections: 256 }),
        sample('fastify-pg', 0, { p99: 20, connections: 256 }),
        sample('node-http', 0, { p99: 1, connections: 256 }),
        sample('growth-1000', 0, { p99: 1 }),
      ],
    ],
    ['requests/s at 256 ÷ at 32', '0.96 ≥ 0.95', [rate('ours', 100), rate('ours', 96, 256)]],
    [
      'time with 1,000,000 animals ÷ 1,000',
      '1.20 > 1.1',
      [rate('growth-1000', 120), rate('growth-1000000', 100)],
    ],
  ])("the row '%s' of the targets table shows %s", (title, cell, samples) => {
    const table = targetsTable(verdicts({ samples, starts: [], idle: {} }, limits));
    const rows = table.split('\n').map((line) => line.split('|').map((each) => each.trim()));
    expect(rows.find(([, first]) => first === title)?.[2]).toBe(cell);
  });

  test('an error, a lost create, a slow start and too much idle memory are reported as missed', () => {
    const samples = [
      sample('ours', 0, { errors: 0, connections: 256 }),
      sample('ours', 1, { errors: 1, connections: 256 }),
      sample('ours', 1, { workload: 'create', lost: 2 }),
    ];
    const starts = [{ round: 0, program: 'ours', cpu: 0.25, wall: 0.5 } as const];
    const idle = { ours: 110, 'express-prisma': 100 };
    const all = verdicts({ samples, starts, idle }, limits);
    expect(targetsOfProcess(all)).toBe(
      "Figures of the process: errors: 1 > 0; acknowledged creates missing from the table: 2 > 0; RSS when idle, MiB: 110; ÷ express-prisma's: 1.10 > 1; RSS after the load, MiB: 1; seconds to the first response: 0.50 > 0.3; seconds of CPU time until then: 0.25 ≤ 0.3.\n",
    );
    expect(missedTargets(verdicts({ samples: [], starts: [], idle }, limits))).toBe(
      '1 of 1 targets are missed.\n',
    );
  });
});

const run = (round: number, ...speeds: readonly Speed[]): GroupRun => ({
  group: [],
  round,
  samples: [],
  speeds,
});

describe('a measurement between two calibrations', () => {
  const USUAL: Speed = { requestsPerSecond: 40_000, loopsPerSecond: 60 };
  const slowed = (by: number): Speed => ({ ...USUAL, requestsPerSecond: 40_000 * (1 - by) });

  test('is repeated if either calibration deviates, beginning with the largest deviation', () => {
    const steady = [0.09, 0, 0, 0, 0].map((by) => run(0, USUAL, slowed(by)));
    const off = [
      run(1, slowed(0.2), USUAL),
      run(2, USUAL, slowed(-0.5)),
      run(3, USUAL, { ...USUAL, loopsPerSecond: 40 }),
    ];
    expect(outliers([...steady, ...off]).map(({ round }) => round)).toEqual([2, 3, 1]);
  });

  test('is replaced by its repetition if the machine was steadier during the repetition', () => {
    const first = run(0, USUAL, slowed(0.3));
    const better = run(0, USUAL, slowed(0.2));
    expect(steadier(first, better, USUAL)).toBe(better);
    expect(steadier(better, first, USUAL)).toBe(better);
  });
});

test('the CPU time of a change is divided by that of a create in the same round', () => {
  const create = { surface: 'rest', workload: 'create' } as const;
  const change = { surface: 'rest', workload: 'change' } as const;
  const samples = [
    sample('ours', 0, { ...create, serverCpu: 10, databaseCpu: 10 }),
    sample('ours', 0, { ...change, serverCpu: 13, databaseCpu: 5 }),
    // In this round, the machine was ten times slower.
    sample('ours', 1, { ...create, serverCpu: 100, databaseCpu: 100 }),
    sample('ours', 1, { ...change, serverCpu: 130, databaseCpu: 50 }),
    sample('ours', 2, { ...change, serverCpu: 900 }),
    sample('ours', 0, { surface: 'graphql', workload: 'create', serverCpu: 10 }),
    sample('ours', 0, { surface: 'graphql', workload: 'change', serverCpu: 14 }),
  ];
  expect(changeCosts(samples)).toBe(
    "CPU time of a change ÷ that of a create: REST 1.30 ≤ 1.3, with PostgreSQL's 0.90 ≤ 1.3; GraphQL 1.40 > 1.3, with PostgreSQL's 1.36 > 1.3.\n",
  );
});

test('a peer’s row counts acknowledged removals that did not happen as errors', () => {
  const cell = { ...CELL, workload: 'remove' } as const;
  const cells = [cell, { ...cell, server: 'a' }];
  const samples = [
    sample('ours', 0, { workload: 'remove', requestsPerSecond: 3000, serverCpu: 50, lost: 2 }),
    sample('a', 0, { workload: 'remove', requestsPerSecond: 1000, serverCpu: 100, errors: 1 }),
  ];
  const [, , row] = peersTable([cells], samples).replaceAll(/ +/g, ' ').split('\n');
  expect(row).toBe('| rest | remove | 3,000 | 3.00 × | 50 | 0.50 × | 1 | 1.00 × | a | 3 |');
});
