import type { Auditor } from './audit.ts';
import type { Exchange } from './exchange.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { generateExchange } from './generate.ts';
import { runHonestClient, type HonestReport, type Period } from './honest-client.ts';
import { refusesForLoad } from './load-refusals.ts';
import { addsAnimal, faultsOf } from './oracle.ts';
import type { Outcome } from './receive-answers.ts';
import { sendExchange, type Target } from './send-exchange.ts';

export interface Finding {
  readonly number: number;
  readonly exchange: Exchange;
  readonly faults: readonly string[];
}

export interface Round {
  readonly seed: number;
  /** The number of the first exchange. */
  readonly from: number;
  /** The number after that of the last exchange. */
  readonly to: number;
  /** Ends it before. */
  readonly signal: AbortSignal;
}

export interface RoundReport {
  readonly from: number;
  /** The number after that of the last exchange. */
  readonly to: number;
  /** When it was. */
  readonly period: Period;
  /** How many answers there were, by status; 0 is for exchanges without any. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers that refused because there was too much to do. */
  readonly refusedForLoad: number;
  /** The exchange that took longest. */
  readonly slowest: Period & Pick<Finding, 'number'>;
  readonly honest: HonestReport;
  readonly finding: Finding | undefined;
  /** What is wrong that no single exchange is known to have done. */
  readonly faults: readonly string[];
}

const CONNECTIONS = 32;

/** Sends exchanges on many connections at once, an honest client beside them, and then looks at the database. */
export async function runRound(
  service: Pick<FuzzedService, 'port' | 'key' | 'faults'>,
  auditor: Auditor,
  { seed, from, to, signal }: Round,
): Promise<RoundReport> {
  const started = performance.now();
  const statuses = new Map<number, number>();
  const refused = new Set<string>();
  const refusedExchanges: Omit<Finding, 'faults'>[] = [];
  let [next, refusedForLoad] = [from, 0];
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
    refusedForLoad += answers.filter(refusesForLoad).length;
    if (exchange.methods !== undefined) {
      const isAnswered = answers.length === exchange.methods.length;
      if (isAnswered && !addsAnimal(outcome) && !isRefusedForLoad(outcome)) {
        refused.add(exchange.tag);
      }
    }
  };
  const attack = async () => {
    while (next < to && !signal.aborted && finding === undefined && !service.faults().length) {
      const number = next;
      next += 1;
      const exchange = generateExchange(seed, number);
      const outcome = await sendExchange(exchange, service);
      note(number, exchange, outcome);
      if (isRefusedForLoad(outcome)) {
        refusedExchanges.push({ number, exchange });
      }
      const faults = [...faultsOf(exchange, outcome), ...service.faults()];
      if (faults.length > 0) {
        finding ??= { number, exchange, faults };
      }
    }
  };

  const honestEnd = new AbortController();
  const honestly = runHonestClient(service, `${seed} ${from}`, honestEnd.signal);
  await Promise.all(Array.from({ length: CONNECTIONS }, attack));
  honestEnd.abort();
  const honest = await honestly;
  const period = { from: started, to: performance.now() };
  for (const refusal of finding === undefined ? refusedExchanges : []) {
    if (await isRefusedAlone(refusal.exchange, service)) {
      finding = { ...refusal, faults: ['it is refused for load when there is none'] };
      break;
    }
  }
  const audited = await auditor.audit(honest, refused);
  return {
    from,
    to: next,
    period,
    statuses,
    refusedForLoad,
    slowest,
    honest,
    finding,
    faults: [...service.faults(), ...honest.faults, ...audited],
  };
}

/** Whether it is refused for load each time that it is sent with nothing beside it. */
async function isRefusedAlone(exchange: Exchange, target: Target): Promise<boolean> {
  let times = 0;
  while (times < 3 && isRefusedForLoad(await sendExchange(exchange, target))) {
    times += 1;
  }
  return times === 3;
}

function isRefusedForLoad({ read: { answers } }: Outcome): boolean {
  return answers.some(refusesForLoad);
}
