import { openAuditor } from './audit.ts';
import {
  startFuzzedService,
  type FuzzedService,
  type RuntimeStatistics,
} from './fuzzed-service.ts';
import { limitFaults } from './limits.ts';
import { minimise } from './minimise.ts';
import { faultsOf } from './oracle.ts';
import { probeFaults } from './probes.ts';
import { runRound, type Finding, type RoundReport } from './run-round.ts';
import { sendExchange, type Target } from './send-exchange.ts';

export interface FuzzOptions {
  /** Of a PostgreSQL database that nothing else uses. */
  readonly databaseUrl: string;
  readonly seed: number;
  /** Of the whole run; Infinity is until the signal. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called after each round. */
  readonly onRound: (round: RoundReport, statistics: RuntimeStatistics) => void;
}

export interface FuzzReport {
  readonly exchanges: number;
  readonly finding: Finding | undefined;
  readonly faults: readonly string[];
}

/** Milliseconds of a round, at most. */
const ROUND = 30_000;

/** Attacks a service until the time is over, or something is found; makes short what is found; and ends the service. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  await using service = await startFuzzedService(options.databaseUrl);
  const faults = await probeFaults(service);
  const report =
    faults.length > 0
      ? { exchanges: 0, finding: undefined, faults }
      : await attack(service, options);
  // What it says in its log is among the faults of a round, too.
  return { ...report, faults: [...new Set([...report.faults, ...(await service.stop())])] };
}

async function attack(
  service: FuzzedService,
  { databaseUrl, seed, seconds, signal, onRound }: FuzzOptions,
): Promise<FuzzReport> {
  await using auditor = await openAuditor(databaseUrl);
  // To start takes longer than anything that follows.
  await service.statistics();
  const end = performance.now() + seconds * 1000;
  let from = 0;
  for (;;) {
    const left = Math.max(0, end - performance.now());
    const milliseconds = Math.ceil(Math.min(ROUND, left));
    const round = await runRound(service, auditor, { seed, from, milliseconds, signal });
    if (round.finding !== undefined || round.faults.length > 0) {
      const finding = round.finding && (await shortened(round.finding, service));
      return { exchanges: round.to, finding, faults: round.faults };
    }
    const statistics = await service.statistics();
    onRound(round, statistics);
    const faults = limitFaults(round, statistics);
    if (faults.length > 0 || signal.aborted || performance.now() >= end) {
      return { exchanges: round.to, finding: undefined, faults };
    }
    from = round.to;
  }
}

/** A finding by the shortest exchange whose answers are as wrong, if there is one. */
async function shortened(finding: Finding, target: Target): Promise<Finding> {
  const [known = ''] = finding.faults;
  const isOfSameKind = (fault: string) => fault.slice(0, 20) === known.slice(0, 20);
  const exchange = await minimise(finding.exchange, async (candidate) => {
    const faults = faultsOf(candidate, await sendExchange(candidate, target));
    return faults.some(isOfSameKind);
  });
  return { ...finding, exchange };
}
