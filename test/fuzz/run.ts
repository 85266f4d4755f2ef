import { measureStalls, type MachineStalls } from '../support/machine-stalls.ts';
import { openAuditor, type Auditor } from './audit.ts';
import type { Exchange } from './exchange.ts';
import {
  startFuzzedService,
  type FuzzedService,
  type Period,
  type RuntimeStatistics,
} from './fuzzed-service.ts';
import { exchangesOf, ROUND } from './generate.ts';
import { runHonestClient, type HonestReport } from './honest-client.ts';
import { limitFaults, type Measured, type Times } from './limits.ts';
import { addsAnimal, faultsOf, refusesForLoad } from './oracle.ts';
import { sendExchange, type Outcome, type Target } from './send-exchange.ts';

export interface Finding {
  readonly number: number;
  readonly exchange: Exchange;
  readonly faults: readonly string[];
}

export interface RoundReport extends Measured {
  readonly period: Period;
  readonly slowest: Period & Pick<Finding, 'number'>;
  readonly honest: HonestReport;
  /** The number of responses by status; 0 counts exchanges without a response. */
  readonly statuses: ReadonlyMap<number, number>;
  readonly finding: Finding | undefined;
  /** Faults that cannot be attributed to a single exchange. */
  readonly faults: readonly string[];
}

export interface FuzzOptions {
  /** A PostgreSQL database that nothing else uses. */
  readonly databaseUrl: string;
  readonly seed: number;
  /** The maximum number of exchanges. */
  readonly exchanges: number;
  /** Ends the run earlier. */
  readonly signal: AbortSignal;
  /** Called with a line after each round. */
  readonly onRound: (line: string) => void;
}

export type FuzzReport = Pick<RoundReport, 'to' | 'finding' | 'faults'>;

const CONNECTIONS = 32;
/** Number of exchanges after which every one of these statuses must have occurred, or the attack has no effect. */
const TYPICAL = 1000;
const STATUSES = [200, 201, 400, 401, 404, 405, 413, 414, 415, 431];

/** Attacks a service until all exchanges are sent or a fault is found, and then stops the service. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  await using service = await startFuzzedService(options.databaseUrl);
  const report = await attack(service, options);
  // The faults of a round include those found in the log.
  return { ...report, faults: [...new Set([...report.faults, ...(await service.stop())])] };
}

async function attack(service: FuzzedService, options: FuzzOptions): Promise<FuzzReport> {
  const { databaseUrl, seed, exchanges, signal, onRound } = options;
  await using auditor = await openAuditor(databaseUrl);
  await using machine = await measureStalls();
  // The start takes longer than anything that follows.
  await service.statistics();
  const statuses = new Set<number>();
  for (let from = 0; ; from += ROUND) {
    const sent = exchangesOf(seed, from / ROUND, Math.min(ROUND, exchanges - from));
    const round = await runRound(service, auditor, sent, { from, signal });
    if (round.finding !== undefined || round.faults.length > 0) return round;
    const statistics = await service.statistics();
    const times = await timesOf(round, statistics, machine);
    onRound(lineOf(round, statistics, times));
    round.statuses.forEach((_count, status) => statuses.add(status));
    const missing = round.to < TYPICAL ? [] : STATUSES.filter((status) => !statuses.has(status));
    const faults = [
      ...limitFaults(round, statistics, times),
      ...missing.map((status) => `no exchange is answered with ${status}`),
    ];
    if (faults.length > 0 || signal.aborted || round.to >= exchanges) return { ...round, faults };
  }
}

/**
 * Sends exchanges on many connections at once, alongside an honest client, and audits the database.
 *
 * @param from the number of the first exchange
 */
export async function runRound(
  service: Pick<FuzzedService, 'port' | 'key' | 'faults'>,
  auditor: Auditor,
  exchanges: readonly Exchange[],
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): Promise<RoundReport> {
  const started = performance.now();
  const statuses = new Map<number, number>();
  const refused = new Set<string>();
  const refusals: Omit<Finding, 'faults'>[] = [];
  let refusedForLoad = 0;
  let slowest = { number: from, from: started, to: started };
  let finding: Finding | undefined;

  const note = (number: number, exchange: Exchange, outcome: Outcome) => {
    const now = performance.now();
    if (outcome.milliseconds > slowest.to - slowest.from) {
      slowest = { number, from: now - outcome.milliseconds, to: now };
    }
    const { answers } = outcome.read;
    for (const status of answers.length === 0 ? [0] : answers.map((answer) => answer.status)) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const forLoad = answers.filter(refusesForLoad).length;
    refusedForLoad += forLoad;
    if (forLoad > 0) {
      refusals.push({ number, exchange });
    } else if (answers.length === exchange.methods?.length && !addsAnimal(outcome)) {
      refused.add(exchange.tag);
    }
    const faults = [...faultsOf(exchange, outcome), ...service.faults()];
    if (faults.length > 0) {
      finding ??= { number, exchange, faults };
    }
  };
  const waiting = exchanges.entries();
  let to = from;
  const send = async () => {
    for (const [index, exchange] of waiting) {
      to = Math.max(to, from + index + 1);
      note(from + index, exchange, await sendExchange(exchange, service));
      if (signal.aborted || finding !== undefined || service.faults().length > 0) return;
    }
  };

  const honestEnd = new AbortController();
  const honestly = runHonestClient(service, String(from), honestEnd.signal);
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  honestEnd.abort();
  const honest = await honestly;
  const period = { from: started, to: performance.now() };
  for (const refusal of finding === undefined ? refusals : []) {
    if (await isRefusedAlone(refusal.exchange, service)) {
      finding = { ...refusal, faults: ['it is refused for load when there is none'] };
      break;
    }
  }
  const audited = await auditor.audit(honest, refused);
  return {
    from,
    to,
    period,
    statuses,
    refusedForLoad,
    slowest,
    honest,
    finding,
    faults: [...service.faults(), ...honest.faults, ...audited],
  };
}

/** Whether an exchange is rejected because of load three times, although nothing else is sent. */
async function isRefusedAlone(exchange: Exchange, target: Target): Promise<boolean> {
  for (let times = 0; times < 3; times += 1) {
    const { read } = await sendExchange(exchange, target);
    if (!read.answers.some(refusesForLoad)) return false;
  }
  return true;
}

async function timesOf(
  { period, slowest, honest }: RoundReport,
  { longestHalt }: RuntimeStatistics,
  machine: MachineStalls,
): Promise<Times> {
  const own = async ({ from, to }: Period) =>
    Math.round(to - from - (await machine.totalWithin(from, to)));
  const round = await own(period);
  return {
    slowestCall: await own(honest.slowest),
    slowestExchange: await own(slowest),
    longestHalt: await own(longestHalt),
    round,
    stalled: 1 - round / (period.to - period.from),
  };
}

const megabytes = (bytes: number) => Math.round(bytes / 1e6);

function lineOf(round: RoundReport, statistics: RuntimeStatistics, times: Times): string {
  const { to, statuses, refusedForLoad, honest } = round;
  const counts = Array.from(statuses)
    .toSorted(([one], [next]) => one - next)
    .map(([status, count]) => `${status === 0 ? 'none' : status}: ${count}`);
  return [
    `${to} exchanges`,
    counts.join(', '),
    `${refusedForLoad} refused for load`,
    `slowest ${times.slowestExchange} ms`,
    `honest client ${honest.calls} calls, slowest ${times.slowestCall} ms`,
    `event loop ${statistics.turnMilliseconds} ms busy, ${times.longestHalt} ms still`,
    `heap ${megabytes(statistics.heapBytes)} MB, resident ${megabytes(statistics.residentBytes)} MB`,
    `machine stalled ${Math.round(times.stalled * 100)} %`,
  ].join('; ');
}
