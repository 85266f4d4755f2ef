import { expect, test } from 'vitest';
import { Clock } from '../../bench/model/clock.ts';
import type { Costs } from '../../bench/model/costs.ts';
import type { Draw } from '../../bench/model/draw.ts';
import { fitCosts } from '../../bench/model/fit.ts';
import { Machine } from '../../bench/model/machine.ts';
import { simulate, type System } from '../../bench/model/simulate.ts';
import { onOneMachine } from '../../bench/model/systems.ts';

const COSTS: Costs = {
  request: 0,
  statement: 0,
  crowd: 0,
  mainThread: 1,
  execution: 0,
  row: 0,
  wait: 0,
  load: 0,
  loadWakeUp: 0,
  maxBatch: 1,
  maxInFlight: 1,
};

const SYSTEM: System = {
  cores: 1,
  databaseCores: 0,
  roundTrip: 0,
  workers: 1,
  supervisor: 0,
  loadThreads: 0,
  connections: 1,
  works: [[COSTS, 1]],
};

const exactly = (): Draw => (mean) => mean;
const exponentially =
  (random: () => number): Draw =>
  (mean) =>
    -mean * Math.log(1 - random());

function run(
  costs: Partial<Costs>,
  system: Partial<System>,
  requests = 20_000,
  draw: (random: () => number) => Draw = exactly,
) {
  const works: System['works'] = [[{ ...COSTS, ...costs }, 1]];
  return simulate({ ...SYSTEM, ...system, works }, requests, draw);
}

test('threads share the cores alike, and a free core is not used by those that run', () => {
  const clock = new Clock();
  const machine = new Machine(clock, 2);
  const ends: string[] = [];
  const runFor = (work: number) => {
    machine.run(work, () => ends.push(`${work} at ${clock.now}`));
  };
  // Three on two cores: at two thirds of the speed, until the first has ended.
  [10, 20, 20].forEach(runFor);
  while (clock.runNext());
  expect(ends).toEqual(['10 at 15', '20 at 25', '20 at 25']);
});

test('a lone request takes the sum of its parts', () => {
  const costs = { request: 30, statement: 110, execution: 50, row: 4, wait: 100, load: 6 };
  const outcome = run(costs, { loadThreads: 1, roundTrip: 700 });
  expect(outcome.requestsPerSecond).toBeCloseTo(1e6 / 1000, 5);
  expect(outcome).toMatchObject({ batch: 1, p50: 0.994, gatewayCpu: 140, databaseCpu: 54 });
});

test('clients with exponential times at a single server: the machine-repairman formula', () => {
  // Each client waits for PostgreSQL's 400 µs alone (thinking), and for its turn in the event loop, 100 µs.
  const clients = 6;
  const ratio = 100 / 400;
  const weights = Array.from({ length: clients + 1 }, (_none, busy) =>
    Array.from({ length: busy }, (_, index) => (clients - index) * ratio).reduce(
      (a, b) => a * b,
      1,
    ),
  );
  const idle = 1 / weights.reduce((a, b) => a + b);
  const throughput = ((1 - idle) / 100) * 1e6;
  const outcome = run(
    { request: 0, statement: 0, execution: 400, load: 100, maxInFlight: Infinity },
    { connections: clients, loadThreads: 1, cores: 100 },
    100_000,
    exponentially,
  );
  expect(Math.abs(outcome.requestsPerSecond / throughput - 1)).toBeLessThan(0.01);
});

test('a saturated event loop: full batches, and a rate that is one by their cost', () => {
  const costs = { request: 30, statement: 64, maxBatch: 32 };
  const outcome = run(costs, { connections: 256, cores: 2 });
  expect(outcome.batch).toBeCloseTo(32, 1);
  expect(outcome.requestsPerSecond).toBeCloseTo(1e6 / (30 + 64 / 32), -3);
});

test('without batches, a statement at a time is a queue before PostgreSQL', () => {
  const outcome = run({ request: 10, execution: 500 }, { connections: 8, cores: 4 });
  expect(outcome.requestsPerSecond).toBeCloseTo(2000, -1);
});

test('processes with a core each serve as many times as much', () => {
  const costs = { request: 100, maxBatch: 32 };
  const [one, four] = [1, 4].map((workers) =>
    run(costs, { workers, cores: workers, connections: 16 * workers }),
  );
  expect((four?.requestsPerSecond ?? 0) / (one?.requestsPerSecond ?? 1)).toBeCloseTo(4, 1);
});

test('the costs that cells were simulated with are found again', () => {
  const costs = { ...COSTS, request: 40, statement: 200, crowd: 0.05, execution: 50, row: 5 };
  const given = { ...costs, load: 10, maxBatch: 32 };
  const measured = (connections: number) => {
    const of = { cores: 2, workers: 1, supervisor: 0, connections };
    const outcome = simulate(onOneMachine(given, of));
    return {
      ...outcome,
      work: 'get' as const,
      connections,
      workers: 1,
      loadCpu: 10,
      mainThread: 1,
      supervisorCpu: 0,
    };
  };
  const fitted = { lone: measured(1), busy: measured(32), crowd: measured(256) };
  const found = fitCosts('get', fitted, 2);
  for (const name of ['request', 'statement', 'crowd', 'execution', 'row'] as const) {
    const ratio = found[name] / given[name];
    expect({ name, isFound: Math.abs(ratio - 1) < 0.12 }).toEqual({ name, isFound: true });
  }
});
