import { randomNumbers } from '../load/random.ts';
import { Batches } from './batches.ts';
import { Clock } from './clock.ts';
import type { Costs } from './costs.ts';
import { Database } from './database.ts';
import { type Draw, uniform } from './draw.ts';
import { EventLoop } from './event-loop.ts';
import { Machine } from './machine.ts';

/** Machines, processes and clients. */
export interface System {
  /** Of the gateway's machine. */
  readonly cores: number;
  /** Of PostgreSQL's own machine; 0 if it shares the gateway's. */
  readonly databaseCores: number;
  /** Microseconds of network to PostgreSQL and back. */
  readonly roundTrip: number;
  /** Gateway processes. */
  readonly workers: number;
  /** CPU microseconds of their supervisor for a request. */
  readonly supervisor: number;
  /** Threads of the load generator on the gateway's machine; 0 if it is elsewhere and takes no time. */
  readonly loadThreads: number;
  /** Each sends its next request when it has a response. */
  readonly connections: number;
  /** What they send, and how often each, in parts of 1. */
  readonly works: readonly (readonly [costs: Costs, share: number])[];
}

/** What a system does. */
export interface Outcome {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Requests of a statement, and of one of each work. */
  readonly batch: number;
  readonly batchOfWorks: readonly number[];
  /** How often the event loops of the load generator are woken up for a request. */
  readonly loadWakeUps: number;
  /** Requests without a response that a gateway process has, at the end. */
  readonly open: number;
  /** CPU microseconds for a request: of all gateway processes, and of PostgreSQL. */
  readonly gatewayCpu: number;
  readonly databaseCpu: number;
  /** CPU microseconds of the busiest event loop of the gateway in a microsecond. */
  readonly busy: number;
}

/** Has clients send so many requests, after a warm-up of a quarter as many. */
export function simulate(
  system: System,
  requests = 20_000,
  drawWith: (random: () => number) => Draw = uniform,
): Outcome {
  const random = randomNumbers(1);
  const draw = drawWith(random);
  const clock = new Clock();
  const machine = new Machine(clock, system.cores);
  const databaseMachine =
    system.databaseCores === 0 ? machine : new Machine(clock, system.databaseCores);
  const database = new Database(clock, databaseMachine, system.roundTrip, draw);
  const supervisor = new EventLoop(machine);
  const gateways = Array.from({ length: system.workers }, () => {
    const process = { main: new EventLoop(machine), others: new EventLoop(machine) };
    const batches = system.works.map(([costs]) => new Batches(process, database, costs, draw));
    return { ...process, batches };
  });
  const allBatches = gateways.flatMap(({ batches }) => batches);
  const loads = Array.from(
    { length: system.loadThreads },
    () => new EventLoop(machine, Math.max(...system.works.map(([costs]) => costs.loadWakeUp))),
  );

  const latencies: number[] = [];
  const pick = (): number => {
    const place = random();
    let upTo = 0;
    return system.works.findIndex(([, share]) => (upTo += share) > place);
  };
  const send = (connection: number): void => {
    const work = pick();
    const since = clock.now;
    gateways[connection % gateways.length]?.batches[work]?.arrive(() => {
      latencies.push(clock.now - since);
      supervisor.arrive({ work: system.supervisor, act: () => [] });
      const again = () => {
        send(connection);
        return [];
      };
      const load = loads[connection % loads.length];
      if (load === undefined) clock.after(0, again);
      else load.arrive({ work: draw(system.works[work]?.[0].load ?? 0), act: again });
    });
  };
  const countOfWorks = (count: 'statements' | 'requests') =>
    system.works.map((_, work) => sum(gateways.map(({ batches }) => batches[work]?.[count] ?? 0)));
  /** Lets it answer so many, and gives all that is counted. */
  const answer = (count: number) => {
    while (latencies.length < count && clock.runNext());
    return {
      time: clock.now,
      answered: latencies.length,
      gateway: sum(gateways.map(({ main, others }) => main.used + others.used)) + supervisor.used,
      busiest: Math.max(...gateways.map(({ main }) => main.used)),
      database: database.used,
      loadWakeUps: sum(loads.map(({ wakeUps }) => wakeUps)),
      statements: sum(allBatches.map(({ statements }) => statements)),
      statementsOfWorks: countOfWorks('statements'),
      batchedOfWorks: countOfWorks('requests'),
      batched: sum(allBatches.map((each) => each.requests)),
    };
  };

  for (let connection = 0; connection < system.connections; connection += 1) send(connection);
  const warmUp = Math.max(system.connections, Math.round(requests / 4));
  const begin = answer(warmUp);
  const end = answer(warmUp + requests);
  type Counted = Exclude<keyof typeof begin, 'statementsOfWorks' | 'batchedOfWorks'>;
  const between = (name: Counted) => end[name] - begin[name];
  const ofWorks = (name: 'statementsOfWorks' | 'batchedOfWorks', work: number) =>
    (end[name][work] ?? 0) - (begin[name][work] ?? 0);
  const answered = between('answered');
  const sorted = latencies.slice(warmUp).toSorted((a, b) => a - b);
  const quantile = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0) / 1000;
  return {
    requestsPerSecond: (answered / between('time')) * 1e6,
    p50: quantile(0.5),
    p99: quantile(0.99),
    batch: between('batched') / between('statements'),
    batchOfWorks: system.works.map(
      (_, work) => ofWorks('batchedOfWorks', work) / ofWorks('statementsOfWorks', work),
    ),
    loadWakeUps: between('loadWakeUps') / answered,
    open: sum(allBatches.map(({ open }) => open)) / gateways.length,
    gatewayCpu: between('gateway') / answered,
    databaseCpu: between('database') / answered,
    busy: between('busiest') / between('time'),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
