import { setTimeout } from 'node:timers/promises';
import { callsOf } from '../bench/load/calls.ts';
import type { Ledger } from '../test/support/ledger.ts';
import { animalsOf, type Asked } from './outcome.ts';
import type { Answered, Sender } from './request.ts';

export interface Load {
  /** Stops sending new requests; resolves when all are answered, and every create is acknowledged or the signal is aborted. */
  readonly end: (signal: AbortSignal) => Promise<void>;
}

/** Milliseconds between two batches of requests. */
const TICK = 10;

/** Milliseconds before a create is sent again: as Retry-After says. */
const RETRY_DELAY = 1000;

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered. They alternate between both APIs, and the
 * senders take turns.
 *
 * @param onAnswer called for every answer
 */
export function startLoad(
  { rate, pets }: { readonly rate: number; readonly pets: number },
  senders: readonly Sender[],
  ledger: Ledger,
  onAnswer: (answered: Answered) => void,
): Load {
  const calls = callsOf('mix', pets);
  const underWay = new Set<Promise<void>>();
  const began = performance.now();
  let sent = 0;
  let ending: AbortSignal | undefined;

  const once = async ({ send }: Sender, asked: Asked, name?: string): Promise<Answered> => {
    const answered = await send(asked, name);
    onAnswer(answered);
    return answered;
  };
  const untilDone = async (sender: Sender, asked: Asked, name: string): Promise<void> => {
    for (;;) {
      ledger.asked(name, { repeatable: true });
      const { outcome, text } = await once(sender, asked, name);
      if (outcome === 'good') {
        animalsOf(text).forEach(({ id }) => {
          ledger.acknowledged(name, id);
        });
        return;
      }
      if (ending?.aborted === true) return;
      await setTimeout(RETRY_DELAY);
    }
  };
  const sendOne = (number: number): void => {
    const call = calls[number % calls.length];
    const sender = senders[Math.floor(number / 2) % senders.length];
    if (call === undefined || sender === undefined) return;
    const surface = number % 2 === 0 ? 'rest' : 'graphql';
    const name = `soak-${number}`;
    const work =
      call.does === 'create'
        ? untilDone(sender, { surface, call: { ...call, name } }, name)
        : once(sender, { surface, call }).then(() => undefined);
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const ticking = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * rate);
    for (; sent < due; sent += 1) {
      sendOne(sent);
    }
  }, TICK);

  return {
    end: async (signal) => {
      clearInterval(ticking);
      ending = signal;
      await Promise.all(underWay);
    },
  };
}
