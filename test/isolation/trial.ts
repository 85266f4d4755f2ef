import { setTimeout } from 'node:timers/promises';
import type { MachineStalls } from '../support/machine-stalls.ts';
import { type HonestAnswer, readAnswerLine } from './answer-line.ts';
import type { Attack } from './attacks/attack.ts';
import { startProgram } from './program.ts';
import { type RunDelay, watchRunDelay } from './run-delay.ts';
import { type End, startService } from './service.ts';
import type { Keys } from './store.ts';
import { readTraffic, type Traffic } from './traffic.ts';

/** Milliseconds of an honest client alone: the first requests of a process take longer. */
const WARM_UP = 1000;
/** Milliseconds from the beginning of the attack until another honest client comes. */
const LATE = 2500;

export interface TrialOptions {
  /** The checkout whose service is attacked. */
  readonly root: string;
  readonly attack: Attack;
  /** What the service needs to find its store. */
  readonly env: NodeJS.ProcessEnv;
  readonly keys: Keys;
  /** How long the attack takes before the service is told to end; it goes on then. */
  readonly seconds: number;
  readonly stalls: MachineStalls;
}

export interface Trial extends End {
  readonly attack: Pick<Attack, 'connections' | 'isIdle'>;
  /** What the attacker has sent. */
  readonly traffic: Traffic;
  /** What became of the requests of the client that was there before, and of the one that came later. */
  readonly known: readonly TimedAnswer[];
  readonly late: readonly TimedAnswer[];
}

export interface TimedAnswer extends HonestAnswer {
  /** The same milliseconds, but for those in which others had the processors that the service was ready to run on. */
  readonly ownMilliseconds: number;
}

/** Attacks a service beside two honest clients, and ends it in the middle of that. */
export async function tryAttack(options: TrialOptions): Promise<Trial> {
  const { root, attack, keys, seconds, stalls } = options;
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    await startService(root, { ...options.env, ...attack.env }, attack.isLogUnread !== true),
  );
  const runDelay = stack.use(watchRunDelay(service.pid));
  const start = (file: 'attacker.ts' | 'honest-client.ts', ...args: readonly string[]) =>
    stack.use(startProgram(file, args));
  const known = start('honest-client.ts', service.url, keys.known, 'known');
  await setTimeout(WARM_UP);
  const attacker = start('attacker.ts', attack.name, service.url, keys.attacker);
  await attacker.begun;
  const began = Number(process.hrtime.bigint()) / 1e6;
  await setTimeout(LATE);
  const late = start('honest-client.ts', service.url, keys.late, 'late');
  await setTimeout(seconds * 1000 - LATE);
  const [ofKnown, ofLate] = await Promise.all([known.end(), late.end()]);
  const told = performance.now();
  const end = await service.stop();
  const stalled = await stalls.totalWithin(told);
  const traffic = readTraffic((await attacker.end()).at(-1));
  const timesOf = (lines: readonly string[]) => timed(lines, stalls, runDelay);
  return {
    ...end,
    seconds: Math.max(0, end.seconds - stalled / 1000),
    attack,
    traffic,
    known: (await timesOf(ofKnown)).filter(({ due }) => due >= began),
    late: await timesOf(ofLate),
  };
}

/** Milliseconds below which nobody asks what kept a request. */
const SOON = 50;
/** A machine that stands still for so long at once lets the service's own time-outs run out: milliseconds. */
const STANDSTILL = 300;

/**
 * What they have written, but for how long the machine itself stood still during each request; without those that were
 * lost because it did.
 */
async function timed(
  lines: readonly string[],
  stalls: MachineStalls,
  runDelay: RunDelay,
): Promise<TimedAnswer[]> {
  // The clock of the stalls begins with this process.
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const answers: TimedAnswer[] = [];
  for (const answer of lines.map(readAnswerLine)) {
    const { due, milliseconds, what } = answer;
    const from = due - offset;
    const stalled = milliseconds < SOON ? 0 : await stalls.totalWithin(from, from + milliseconds);
    if (what !== 'good' && (await stalls.longestSince(from, from + milliseconds)) >= STANDSTILL) {
      continue;
    }
    const delayed = runDelay.within(due, due + milliseconds);
    answers.push({
      ...answer,
      milliseconds: milliseconds - stalled,
      ownMilliseconds: milliseconds - Math.max(stalled, delayed),
    });
  }
  return answers;
}
