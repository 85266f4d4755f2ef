import { measureStalls, type MachineStalls } from '../support/machine-stalls.ts';
import { openAuditor } from './audit.ts';
import {
  startFuzzedService,
  type FuzzedService,
  type RuntimeStatistics,
} from './fuzzed-service.ts';
import type { Period } from './honest-client.ts';
import { limitFaults, type Stalls } from './limits.ts';
import { probeFaults } from './probes.ts';
import { runRound, type Finding, type RoundReport } from './run-round.ts';

export interface FuzzOptions {
  /** Of a PostgreSQL database that nothing else uses. */
  readonly databaseUrl: string;
  readonly seed: number;
  /** How many exchanges there are, at most. */
  readonly exchanges: number;
  /** Ends it before. */
  readonly signal: AbortSignal;
  /** Called after each round. */
  readonly onRound: (round: RoundReport, statistics: RuntimeStatistics, stalls: Stalls) => void;
}

export interface FuzzReport {
  readonly exchanges: number;
  readonly finding: Finding | undefined;
  readonly faults: readonly string[];
}

const ROUND_EXCHANGES = 3000;

/** Attacks a service with so many exchanges, or until something is found, and ends the service. */
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
  { databaseUrl, seed, exchanges, signal, onRound }: FuzzOptions,
): Promise<FuzzReport> {
  await using auditor = await openAuditor(databaseUrl);
  await using machine = await measureStalls();
  // To start takes longer than anything that follows.
  await service.statistics();
  for (let from = 0; ;) {
    const to = Math.min(from + ROUND_EXCHANGES, exchanges);
    const round = await runRound(service, auditor, { seed, from, to, signal });
    if (round.finding !== undefined || round.faults.length > 0) {
      return { exchanges: round.to, finding: round.finding, faults: round.faults };
    }
    const statistics = await service.statistics();
    const stalls = await stallsOf(round, statistics, machine);
    onRound(round, statistics, stalls);
    const faults = limitFaults(round, statistics, stalls);
    if (faults.length > 0 || signal.aborted || round.to >= exchanges) {
      return { exchanges: round.to, finding: undefined, faults };
    }
    from = round.to;
  }
}

async function stallsOf(
  { period, slowest, honest }: RoundReport,
  { longestHalt }: RuntimeStatistics,
  machine: MachineStalls,
): Promise<Stalls> {
  const within = ({ from, to }: Period) => machine.totalWithin(from, to);
  return {
    ofSlowestCall: await within(honest.slowest),
    ofSlowestExchange: await within(slowest),
    ofLongestHalt: await within(longestHalt),
    share: (await within(period)) / (period.to - period.from),
  };
}
