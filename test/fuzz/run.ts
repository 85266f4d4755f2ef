import { openAuditor } from './audit.ts';
import { startFuzzedService, type Inside } from './fuzzed-service.ts';
import { faultsOf } from './judge.ts';
import { minimise } from './minimise.ts';
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
  readonly onRound: (round: RoundReport, inside: Inside) => void;
}

export interface FuzzReport {
  readonly exchanges: number;
  readonly finding: Finding | undefined;
  readonly faults: readonly string[];
}

/** Milliseconds of a round, at most; the first is for caches to fill. */
const ROUND = 30_000;
const WARM_UP = 8000;

/** What the service may come to while it is under attack. */
export const LIMITS = {
  /** Bytes that the heap may have grown by since the first round: caches fill, and are full at some time. */
  growth: 40_000_000,
  /** Bytes of resident memory, in all. */
  resident: 700_000_000,
  /** Milliseconds of a processor that one turn of the event loop may take. */
  turn: 200,
  /** Milliseconds for which the event loop may stand still, whoever has the processor. */
  delay: 3000,
  /** Milliseconds for which the honest client may wait for an answer. */
  honest: 5000,
  /** The share of answers that may refuse for the load alone. */
  load: 0.02,
} as const;

/** Attacks the service until the time is over, or something is found; and makes short what is found. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { databaseUrl, seed, seconds, signal, onRound } = options;
  await using service = await startFuzzedService(databaseUrl);
  // To start takes longer than anything that follows.
  await service.look();
  await using auditor = await openAuditor(databaseUrl);
  const end = performance.now() + seconds * 1000;
  let from = 0;
  let first: Inside | undefined;
  for (;;) {
    const left = Math.max(0, end - performance.now());
    const milliseconds = Math.ceil(Math.min(first === undefined ? WARM_UP : ROUND, left));
    const round = await runRound(service, auditor, { seed, from, milliseconds, signal });
    if (round.finding !== undefined || round.faults.length > 0) {
      const finding = round.finding && (await shortened(round.finding, service));
      return { exchanges: round.to, finding, faults: round.faults };
    }
    const inside = await service.look();
    onRound(round, inside);
    const faults = limitFaults(inside, first, { ...round, from });
    if (faults.length > 0 || signal.aborted || performance.now() >= end) {
      return { exchanges: round.to, finding: undefined, faults };
    }
    from = round.to;
    first ??= inside;
  }
}

/** What is wrong about the answers that a finding gets again, if it still gets any. */
export async function shortened(finding: Finding, target: Target): Promise<Finding> {
  const [known = ''] = finding.faults;
  const isOfSameKind = (fault: string) => fault.slice(0, 20) === known.slice(0, 20);
  const exchange = await minimise(finding.exchange, async (candidate) => {
    const faults = faultsOf(candidate, await sendExchange(candidate, target));
    return faults.some(isOfSameKind);
  });
  return { ...finding, exchange };
}

function limitFaults(
  inside: Inside,
  first: Inside | undefined,
  { honest, ofLoad, from, to }: RoundReport & { readonly from: number },
): string[] {
  const share = (ofLoad + honest.ofLoad) / (to - from + honest.calls);
  const told: readonly (readonly [what: string, is: number, limit: number])[] = [
    [
      'bytes that the heap has grown by',
      inside.heapBytes - (first ?? inside).heapBytes,
      LIMITS.growth,
    ],
    ['bytes of resident memory', inside.residentBytes, LIMITS.resident],
    // The first round still loads what only some requests need.
    [
      'milliseconds of one turn of the event loop',
      first === undefined ? 0 : inside.turnMilliseconds,
      LIMITS.turn,
    ],
    ['of all answers that refuse for load', share, LIMITS.load],
    ['milliseconds for which the event loop stood still', inside.delayMilliseconds, LIMITS.delay],
    ['milliseconds for which an honest client waited', Math.round(honest.slowest), LIMITS.honest],
  ];
  return told
    .filter(([, is, limit]) => is > limit)
    .map(([what, is, limit]) => `${what}: ${is}; at most ${limit} are allowed`);
}
