import { type Machine, readMachine } from '../bench/report/machine.ts';
import { createLedger, type Ledger } from '../test/support/ledger.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { injectInTurn } from './fault-schedule.ts';
import type { Fault } from './faults.ts';
import { createRecorder, type Figures } from './figures.ts';
import { startGateway } from './gateway.ts';
import { startLoad } from './load.ts';
import type { Options } from './options.ts';
import { type Recovery, watchRecovery } from './recovery.ts';
import { createSender } from './request.ts';
import { createSamples } from './samples.ts';
import { prepareStore } from './store.ts';

export interface Results {
  readonly machine: Machine;
  readonly minutes: number;
  readonly rate: number;
  readonly isEmbedded: boolean;
  readonly figures: readonly Figures[];
  readonly recoveries: readonly Recovery[];
  /** Number of animals before the run. */
  readonly pets: number;
  readonly creates: ReturnType<Ledger['counts']>;
  /** Descriptions of animals that are missing or wrong at the end. */
  readonly inconsistencies: readonly string[];
  /** Descriptions of everything else that went wrong: the first failures, and the first wrong responses. */
  readonly wrong: readonly string[];
}

/** Milliseconds for the service to listen. */
const START_TIMEOUT = 30_000;

/** Milliseconds for all creates to be acknowledged at the end. */
const DRAIN_TIMEOUT = 60_000;

/** Runs the service under load, with these faults in turn. Everything that it starts has stopped when the promise settles. */
export async function soak(
  { minutes, interval, rate, databaseUrl }: Omit<Options, 'out'>,
  faults: readonly Fault[],
  progressed: (what: string) => void,
  signal: AbortSignal,
): Promise<Results> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryDirectory());
  progressed('filling the store');
  const store = stack.use(await prepareStore(path, databaseUrl, signal));

  let began = performance.now();
  const now = () => (performance.now() - began) / 1000;
  const within = (milliseconds: number) =>
    AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
  const recorder = createRecorder(now);
  const watch = watchRecovery(now);
  const failures = createSamples(now);
  const wrongAnswers = createSamples(now);
  const events = { probed: recorder.probed, failed: failures.add };
  const gateway = stack.use(await startGateway(store.env, events, within(START_TIMEOUT)));
  const senders = store.keys.map((key) => createSender(gateway.url, key));
  for (const { close } of senders) stack.defer(close);
  const ledger = createLedger();
  const version = await store.version();

  began = performance.now();
  const load = startLoad({ rate, pets: store.pets }, senders, ledger, (answered) => {
    const { milliseconds, text } = answered;
    const outcome = watch.answered(now() - milliseconds / 1000, answered.outcome);
    recorder.answered({ outcome, milliseconds });
    if (outcome === 'wrong') wrongAnswers.add(text);
  });
  try {
    const possible = faults.filter(
      ({ takesPostgres }) => takesPostgres !== true || store.postgres !== undefined,
    );
    const schedule = { minutes, interval, now, watch, failed: failures.add, progressed };
    await injectInTurn(possible, { gateway, store }, schedule, signal);
  } finally {
    await load.end(within(DRAIN_TIMEOUT));
  }
  const inconsistencies = ledger.faults(await store.added());
  const missing = store.pets - (await store.petsLeft());
  if (missing > 0) inconsistencies.push(`${missing} of the first ${store.pets} are missing`);
  // Before the failures are collected, because the gateway's shutdown may cause one.
  await stack.disposeAsync();
  return {
    machine: await readMachine(version, ''),
    minutes,
    rate,
    isEmbedded: databaseUrl === undefined,
    figures: recorder.figures(),
    recoveries: watch.recoveries(),
    pets: store.pets,
    creates: ledger.counts(),
    inconsistencies,
    wrong: [...failures.all(), ...wrongAnswers.all()],
  };
}
