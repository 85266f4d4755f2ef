import { describe, expect, test } from 'vitest';
import { median, medianMemoryRatio, medianRatio } from '../../bench/figures/medians.ts';
import type { Cell, Sample } from '../../bench/figures/sample.ts';
import { verdicts } from '../../bench/figures/targets.ts';
import { parseWrkOutput } from '../../bench/figures/wrk-output.ts';
import { isMet } from '../../bench/figures/verdict.ts';
import { missedTargets, targetsOfProcess, targetsTable } from '../../bench/report/targets-table.ts';
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
  /** What the table has in REST's hot column, by the row's title. */
  const rows = (samples: readonly Sample[]) =>
    Object.fromEntries(
      targetsTable(verdicts({ samples, starts: [], idle: {} }, limits))
        .split('\n')
        .map((line) => line.split('|').map((cell) => cell.trim()))
        .map(([, title = '', hot = '']) => [title, hot]),
    );

  test.each([
    [699.9, '7.00 < 7'],
    [700, '7.00 ≥ 7'],
  ])('%d/s for 100/s of Express with Prisma is %s', (rate, text) => {
    const samples = [
      sample('ours', 0, { requestsPerSecond: rate }),
      sample('express-prisma', 0, { requestsPerSecond: 100 }),
    ];
    expect(rows(samples)['÷ express-prisma']).toBe(text);
  });

  test.each([
    [1, '1.00 ≤ 1'],
    [1.2, '1.20 > 1'],
  ])('at one connection, a median of %d ms for 1 ms of the fastest is %s', (p50, text) => {
    const samples = [
      sample('ours', 0, { p50, connections: 1 }),
      sample('express-prisma', 0, { p50: 3, connections: 1 }),
      sample('fastify-pg', 0, { p50: 1, connections: 1 }),
    ];
    expect(rows(samples)["÷ the fastest peer's"]).toBe(text);
  });

  test('the tail is held against the peer that does best, and never against the limit or growth', () => {
    const samples = [
      sample('ours', 0, { p99: 30, connections: 256 }),
      sample('sofa', 0, { p99: 100, connections: 256 }),
      sample('fastify-pg', 0, { p99: 20, connections: 256 }),
      sample('node-http', 0, { p99: 1, connections: 256 }),
      sample('growth-1000', 0, { p99: 1 }),
    ];
    expect(rows(samples)["÷ the best peer's"]).toBe('1.50 > 1');
  });

  test('the rate at 256 connections is held against that of the same round', () => {
    const samples = [100, 50].flatMap((rate, round) => [
      sample('ours', round, { requestsPerSecond: rate }),
      sample('ours', round, { requestsPerSecond: rate * 0.96, connections: 256 }),
    ]);
    expect(rows(samples)['requests/s at 256 ÷ at 32']).toBe('0.96 ≥ 0.95');
  });

  test('growth is the time of a million animals by that of a thousand', () => {
    const samples = [
      sample('growth-1000', 0, { requestsPerSecond: 120 }),
      sample('growth-1000000', 0, { requestsPerSecond: 100 }),
    ];
    expect(rows(samples)['time with 1,000,000 animals ÷ 1,000']).toBe('1.20 > 1.1');
  });

  test('one error in one round is told, and so are a create that was lost and a slow start', () => {
    const samples = [
      sample('ours', 0, { errors: 0, connections: 256 }),
      sample('ours', 1, { errors: 1, connections: 256 }),
      sample('ours', 1, { work: 'create', lost: 2 }),
    ];
    const starts = [{ round: 0, program: 'ours', cpu: 0.25, wall: 0.5 } as const];
    expect(targetsOfProcess(verdicts({ samples, starts, idle: {} }, limits))).toBe(
      'Of the process: errors: 1 > 0; creates answered, but not in the table: 2 > 0; RSS after the load, MiB: 1; seconds to the first answer: 0.50 > 0.3; seconds of CPU until then: 0.25 ≤ 0.3.\n',
    );
  });

  test('memory when idle is held against that of Express with Prisma', () => {
    const idle = { ours: 110, 'express-prisma': 100 };
    expect(missedTargets(verdicts({ samples: [], starts: [], idle }, limits))).toBe(
      '1 of 1 targets are missed.\n',
    );
    expect(targetsOfProcess(verdicts({ samples: [], starts: [], idle }, limits))).toBe(
      "Of the process: RSS when idle, MiB: 110; ÷ express-prisma's: 1.10 > 1.\n",
    );
  });

  test('what was not measured is not shown', () => {
    const all = verdicts({ samples: [], starts: [], idle: {} }, limits);
    expect(all.length).toBeGreaterThan(40);
    expect(all.filter((verdict) => isMet(verdict) !== undefined)).toEqual([]);
    expect(targetsTable(all) + targetsOfProcess(all) + missedTargets(all)).toBe('');
  });
});
