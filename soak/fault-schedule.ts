import { setTimeout } from 'node:timers/promises';
import type { Fault, Subject } from './faults.ts';
import type { RecoveryWatch } from './recovery.ts';

export interface FaultSchedule {
  readonly minutes: number;
  /** Seconds from one fault to the next. */
  readonly interval: number;
  /** Seconds since the run began. */
  readonly now: () => number;
  readonly watch: RecoveryWatch;
  /** Called with the description of a fault that could not be injected or repaired. */
  readonly failed: (what: string) => void;
  /** Called with the progress of the run, in words. */
  readonly progressed: (what: string) => void;
}

/** Milliseconds within which a fault must be repaired. */
const REPAIR_TIMEOUT = 30_000;

/** The part of an interval that passes before its fault is injected. */
const HALF = 0.5;

/** Injects faults in turn, over and over, and resolves when the minutes are over. */
export async function injectInTurn(
  faults: readonly Fault[],
  subject: Subject,
  { minutes, interval, now, watch, failed, progressed }: FaultSchedule,
  signal: AbortSignal,
): Promise<void> {
  const until = async (seconds: number) => {
    await setTimeout(Math.max(0, (seconds - now()) * 1000), undefined, { signal });
  };
  for (let turn = 0; (turn + HALF) * interval < minutes * 60; turn += 1) {
    await until((turn + HALF) * interval);
    const fault = faults[turn % faults.length];
    if (fault === undefined) continue;
    watch.injected(fault);
    await injectOne(fault, subject, signal).catch((error: unknown) => {
      // The run continues.
      failed(`${fault.name}: ${String(error)}`);
    });
    watch.repaired();
    const refused = watch.recoveries().at(-1)?.refused;
    progressed(`${Math.round(now())} s: ${fault.name}, ${refused} requests have failed`);
  }
  await until(minutes * 60);
}

async function injectOne({ inject }: Fault, subject: Subject, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(REPAIR_TIMEOUT);
  try {
    await inject(subject, AbortSignal.any([signal, deadline]));
  } catch (error) {
    throw deadline.aborted
      ? new Error(`not repaired in ${REPAIR_TIMEOUT / 1000} s`, { cause: error })
      : error;
  }
}
