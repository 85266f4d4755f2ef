import { setTimeout } from 'node:timers/promises';
import type { MachineStalls } from '../support/machine-stalls.ts';
import type { Attack } from './attacks/attack.ts';
import { type End, startProgram, startService } from './processes.ts';
import type { Keys } from './store.ts';

/** Milliseconds for which an honest client runs alone, because a process's first requests take longer. */
const WARM_UP = 1000;
/** Milliseconds from the start of the attack until a second honest client starts. */
const LATE = 2500;

interface TrialOptions {
  readonly attack: Attack;
  /** The environment with which the service finds its store. */
  readonly env: NodeJS.ProcessEnv;
  readonly keys: Keys;
  /** How long the attack lasts before the service is stopped. It continues during the shutdown. */
  readonly seconds: number;
  readonly stalls: MachineStalls;
}

export interface Trial extends End {
  readonly attack: Pick<Attack, 'connections' | 'isIdle'>;
  /** The numbers of connections and bytes that the attacker has sent. */
  readonly traffic: { readonly connections: number; readonly bytes: number };
  /** The requests from the client that started before the attack, and from the one that started later. */
  readonly known: readonly HonestAnswer[];
  readonly late: readonly HonestAnswer[];
}

export interface HonestAnswer {
  /** Milliseconds until the response, not counting time in which the machine stood still. */
  readonly milliseconds: number;
  /** Like `milliseconds`, but also not counting time in which other processes kept the service from running. */
  readonly ownMilliseconds: number;
  /** `good`, or else the status or the error. */
  readonly what: string;
  /** The name of the animal to add, and the id that was returned; or empty. */
  readonly name: string;
  readonly id: string;
}

/** Attacks a service that also serves two honest clients, and stops it during the attack. */
export async function tryAttack(options: TrialOptions): Promise<Trial> {
  const { attack, keys, seconds, stalls } = options;
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    await startService({ ...options.env, ...attack.env }, attack.isLogUnread !== true),
  );
  const start = (...program: Parameters<typeof startProgram>) =>
    stack.use(startProgram(...program));
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
  const traffic = (await attacker.end()).at(-1)?.split(' ').map(Number);
  const answersIn = (lines: readonly string[], since: number) =>
    answersSince(since, lines, stalls, service.delayWithin);
  return {
    ...end,
    seconds: Math.max(0, end.seconds - stalled / 1000),
    attack,
    traffic: { connections: traffic?.[0] ?? 0, bytes: traffic?.[1] ?? 0 },
    known: await answersIn(ofKnown, began),
    late: await answersIn(ofLate, 0),
  };
}

/** Milliseconds below which it doesn't matter what delayed a request. */
const SOON = 50;
/** Milliseconds of a machine's standstill after which the service's own timeouts may have expired. */
const STANDSTILL = 300;

/** The responses to requests that were due after `since`, except those lost because the machine stood still. */
async function answersSince(
  since: number,
  lines: readonly string[],
  stalls: MachineStalls,
  delayWithin: (from: number, to: number) => number,
): Promise<HonestAnswer[]> {
  // The clock that measures stalls starts with this process.
  const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const answers: HonestAnswer[] = [];
  for (const line of lines) {
    const [due = 0, milliseconds = 0] = line.split(' ', 2).map(Number);
    const [, , what = '', name = '', id = ''] = line.split(' ');
    const from = due - offset;
    const to = from + milliseconds;
    if (due < since) continue;
    if (what !== 'good' && (await stalls.longestSince(from, to)) >= STANDSTILL) continue;
    const stalled = milliseconds < SOON ? 0 : await stalls.totalWithin(from, to);
    const delayed = Math.max(stalled, delayWithin(due, due + milliseconds));
    answers.push({
      milliseconds: milliseconds - stalled,
      ownMilliseconds: milliseconds - delayed,
      what,
      name,
      id,
    });
  }
  return answers;
}
