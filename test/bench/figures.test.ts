import { describe, expect, test } from 'vitest';
import { median, medianMemoryRatio, medianRatio } from '../../bench/figures/medians.ts';
import type { Cell, Sample } from '../../bench/figures/sample.ts';
import { verdicts } from '../../bench/figures/targets.ts';
import { parseWrkOutput } from '../../bench/figures/wrk-output.ts';
import { targetsTable } from '../../bench/report/targets-table.ts';
import { benchSample as sample } from '../support/bench-sample.ts';

/** As wrk 4.1 prints it, with spaces behind seconds. */
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
    Req/Sec     6.11k     1.70k    8.80k    85.00%
  Latency Distribution
     50%  ${p50}
     75%    2.47ms
     90%    8.05ms
     99%  ${p99}
  ${requests} requests in 3.01s, 51.54MB read
${errors}Requests/sec:  12137.29
Transfer/sec:     17.13MB
Refused: ${refused}
Seconds: 2.76
`;
}

describe('what wrk prints', () => {
  test('is read whole', () => {
    expect(parseWrkOutput(wrkOutput())).toEqual({
      requests: 36_513,
      requestsPerSecond: 36_513 / 2.76,
      p50: 1.63,
      p99: 86.31,
      errors: 0,
      bytes: 51.54 * 2 ** 20,
    });
  });

  test.each([
    ['250.00us', 0.25],
    ['0.93ms', 0.93],
    ['1.07s ', 1070],
    ['1.50m ', 90_000],
  ])('a latency of %j is %d ms', (printed, milliseconds) => {
    expect(parseWrkOutput(wrkOutput({ p50: printed, p99: printed }))).toMatchObject({
      p50: milliseconds,
      p99: milliseconds,
    });
  });

  const sockets = '  Socket errors: connect 1, read 20, write 300, timeout 4000\n';
  const statuses = '  Non-2xx or 3xx responses: 50000\n';
  test.each([
    ['each kind of socket error', { errors: sockets }, 4321],
    ['statuses that are errors', { errors: statuses }, 50_000],
    ['both', { errors: sockets + statuses }, 54_321],
    ['GraphQL errors with status 200', { refused: 7 }, 7],
    ['an answer of both kinds once', { errors: statuses, refused: 50_007 }, 50_007],
  ])('%s counts as errors', (_kind, printed, errors) => {
    expect(parseWrkOutput(wrkOutput(printed)).errors).toBe(errors);
  });

  test('no answer at all is an error, and no time at all', () => {
    const silence = wrkOutput({ requests: 0, p50: '0.00us', p99: '0.00us' });
    expect(parseWrkOutput(silence)).toMatchObject({ p50: Infinity, p99: Infinity, errors: 1 });
  });

  test.each([['unable to connect to 127.0.0.1:1'], [wrkOutput({ p99: '12parsecs' })]])(
    'what is not a result is an error: %j',
    (output) => {
      expect(() => parseWrkOutput(output)).toThrow(/^wrk /);
    },
  );
});

const CELL: Cell = { server: 'ours', surface: 'rest', work: 'hot', connections: 32 };

describe('medians', () => {
  test.each([
    [[3, 1, 2], 2],
    [[10, 1, 2, 9], 5.5],
    [[], undefined],
  ])('the median of %j is %j', (numbers, expected) => {
    expect(median(numbers)).toBe(expected);
  });

  test('a ratio is the median of those within the rounds, not the ratio of the medians', () => {
    // The machine was ten times slower in the second round, and three times faster in the third.
    const samples = [
      ...[100, 20, 900].map((rate, round) => sample('ours', round, { requestsPerSecond: rate })),
      ...[50, 5, 300].map((rate, round) => sample('peer', round, { requestsPerSecond: rate })),
    ];
    const ratio = medianRatio(samples, CELL, { ...CELL, server: 'peer' }, 'requestsPerSecond');
    expect(ratio).toBe(3);
  });

  test('rounds that lack one of the two are left out, and none is no ratio', () => {
    const samples = [
      sample('ours', 0, { p50: 8 }),
      sample('ours', 1, { p50: 6 }),
      sample('peer', 1, { p50: 2 }),
      sample('peer', 2, { p50: 1 }),
    ];
    expect(medianRatio(samples, CELL, { ...CELL, server: 'peer' }, 'p50')).toBe(3);
    expect(medianRatio(samples, CELL, { ...CELL, server: 'another' }, 'p50')).toBeUndefined();
  });

  test('memory is compared after the last cell of each server in a round', () => {
    const samples = [
      sample('ours', 0, { rss: 100 }),
      sample('peer', 0, { rss: 50, work: 'get' }),
      sample('ours', 0, { rss: 300, surface: 'graphql' }),
      sample('peer', 0, { rss: 200, work: 'create' }),
    ];
    expect(medianMemoryRatio(samples, 'ours', 'peer', 'rss')).toBe(1.5);
  });
});

describe('targets', () => {
  const limits = new Set(['node-http']);
  const told = (samples: readonly Sample[], target: string) => {
    const lines = targetsTable(verdicts(samples, [], limits)).split('\n');
    return lines
      .filter((line) => line.includes(target))
      .map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim())
          .slice(1, -1),
      );
  };

  test.each([
    [499.9, 'missed'],
    [500, 'met'],
  ])('%d/s for 100/s of Express with Prisma is %s', (rate, word) => {
    const samples = [
      sample('ours', 0, { requestsPerSecond: rate }),
      sample('express-prisma', 0, { requestsPerSecond: 100 }),
    ];
    expect(told(samples, '≥ 5 × express-prisma')[0]?.slice(2)).toEqual(['5.00 ×', word]);
  });

  test.each([
    [1.1, 'met'],
    [1.2, 'missed'],
  ])('at one connection, a median of %d ms for 1 ms is %s', (p50, word) => {
    const samples = [
      sample('ours', 0, { p50, connections: 1 }),
      sample('express-prisma', 0, { p50: 1, connections: 1 }),
    ];
    expect(told(samples, 'REST hot at 1, p50')).toEqual([
      ['REST hot at 1, p50', '≤ 1.1 × express-prisma', `${p50.toFixed(2)} ×`, word],
    ]);
  });

  test('the tail is held against the peer that does best, and never against the limit', () => {
    const samples = [
      sample('ours', 0, { p99: 30, connections: 256 }),
      sample('sofa', 0, { p99: 100, connections: 256 }),
      sample('fastify-pg', 0, { p99: 20, connections: 256 }),
      sample('node-http', 0, { p99: 1, connections: 256 }),
    ];
    expect(told(samples, 'REST hot at 256, p99')[0]?.slice(2)).toEqual(['1.50 ×', 'missed']);
  });

  test('one error in one round is told, and so is a create that was lost', () => {
    const samples = [
      sample('ours', 0, { errors: 0, connections: 256 }),
      sample('ours', 1, { errors: 1, connections: 256 }),
      sample('ours', 1, { work: 'create', lost: 2 }),
    ];
    expect(told(samples, 'REST hot at 256, errors')[0]?.slice(2)).toEqual(['1', 'missed']);
    expect(told(samples, 'creates answered')[0]?.slice(2)).toEqual(['2', 'missed']);
  });

  test('growth is the time of a million animals by that of a thousand', () => {
    const samples = [
      sample('growth-1000', 0, { requestsPerSecond: 120 }),
      sample('growth-1000000', 0, { requestsPerSecond: 100 }),
    ];
    expect(told(samples, 'REST hot, 1,000')[0]?.slice(2)).toEqual(['1.20 ×', 'missed']);
  });

  test('a start is held against a second and a half, and against the baseline of its round', () => {
    const starts = [1.4, 2].flatMap((cpu, round) => [
      { round, program: 'ours', cpu, wall: 1 } as const,
      { round, program: 'baseline', cpu: 1, wall: 1 } as const,
    ]);
    const ends = verdicts([], starts, limits).slice(-2);
    expect(ends.map(({ measured, met }) => [measured, met])).toEqual([
      [1.7, false],
      [1.7, false],
    ]);
  });

  test('what was not measured is neither met nor missed', () => {
    const all = verdicts([], [], limits);
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter(({ met }) => met !== undefined)).toEqual([]);
    expect(told([], '≥ 9 × sofa')[0]?.slice(2)).toEqual(['not measured', '']);
  });
});
