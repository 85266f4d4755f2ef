import { setTimeout } from 'node:timers/promises';
import { temporaryFolder } from '../bench/processes/folder.ts';
import { type Machine, readMachine } from '../bench/report/machine.ts';
import { FAULTS } from './faults.ts';
import { createRecorder, type Figures } from './figures.ts';
import { startGateway } from './gateway.ts';
import { type Counts, createLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import type { Options } from './options.ts';
import { type Recovery, watchRecovery } from './recovery.ts';
import { createSender } from './request.ts';
import { prepareStore } from './store.ts';

export interface Results {
  readonly machine: Machine;
  readonly minutes: number;
  readonly rate: number;
  readonly isEmbedded: boolean;
  readonly figures: readonly Figures[];
  readonly recoveries: readonly Recovery[];
  readonly creates: Counts;
  /** What is wrong with the animals that are there at the end. */
  readonly faults: readonly string[];
  /** What else should not have happened, wrong answers first of all, in words: the first of it. */
  readonly wrong: readonly string[];
}

/** How many wrong answers are kept to be told. */
const SAMPLES = 20;

/** Milliseconds for all creates to be acknowledged at the end. */
const LAST_PATIENCE = 60_000;

/** The share of an interval that is over when its fault strikes. */
const HALF = 0.5;

/** Runs the service under load and faults. Whatever it starts has ended when this resolves or rejects. */
export async function soak(
  { minutes, interval, rate, databaseUrl }: Options,
  signal: AbortSignal,
): Promise<Results> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  tell('filling the store');
  const store = await prepareStore(path, databaseUrl, signal);

  let began = performance.now();
  const now = () => (performance.now() - began) / 1000;
  const recorder = createRecorder(now);
  const watch = watchRecovery(now);
  const wrong: string[] = [];
  const tellWrong = (what: string) => {
    if (wrong.length < SAMPLES) wrong.push(what);
  };
  const gateway = stack.use(
    await startGateway(store.env, { probed: recorder.probed, failed: tellWrong }),
  );
  const sender = createSender(gateway.url, store.key);
  stack.defer(sender.close);
  const ledger = createLedger();
  const version = await store.version();

  began = performance.now();
  const load = startLoad({ rate, pets: store.pets }, sender, ledger, (answered) => {
    recorder.answered(answered);
    watch.answered(now() - answered.milliseconds / 1000, answered.outcome);
    if (answered.outcome === 'wrong') tellWrong(answered.text);
  });
  try {
    const faults = FAULTS.filter(({ takesServer }) => !takesServer || store.postgres !== undefined);
    const until = async (seconds: number) => {
      await setTimeout(Math.max(0, (seconds - now()) * 1000), undefined, { signal });
    };
    for (let turn = 0; (turn + HALF) * interval < minutes * 60; turn += 1) {
      await until((turn + HALF) * interval);
      const fault = faults[turn % faults.length];
      if (fault !== undefined) {
        watch.struck(fault.name);
        await fault.strike({ gateway, store }).catch((error: unknown) => {
          // The hour is not lost for it.
          tellWrong(`${fault.name} could not be done: ${String(error)}`);
        });
        watch.mended();
      }
      const last = watch.recoveries().at(-1);
      tell(`${Math.round(now())} s: ${fault?.name}, ${last?.refused} requests so far not done`);
    }
    await until(minutes * 60);
  } finally {
    await load.end(signal.aborted ? 0 : LAST_PATIENCE);
  }
  const figures = recorder.figures();
  return {
    machine: await readMachine(version, ''),
    minutes,
    rate,
    isEmbedded: databaseUrl === undefined,
    figures,
    recoveries: watch.recoveries(),
    creates: ledger.counts(),
    faults: ledger.faults(await store.added()),
    wrong,
  };
}

function tell(what: string): void {
  process.stderr.write(`${what}\n`);
}
