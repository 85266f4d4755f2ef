import { setTimeout } from 'node:timers/promises';
import { callsOf, type Call } from '../bench/load/calls.ts';
import { graphqlRequest, restRequest, type Request, type Surface } from '../bench/load/requests.ts';
import { ownDocuments } from '../bench/peers/documents.ts';
import type { Ledger } from './ledger.ts';
import type { Answered, Sender } from './request.ts';

export interface Load {
  /** Sends no new request; resolves once all is answered and every create is acknowledged, or so many milliseconds are over. */
  readonly end: (patience: number) => Promise<void>;
}

/** Milliseconds between two batches of requests. */
const TICK = 10;

/** Milliseconds before a create is sent again: as Retry-After says. */
const PAUSE = 1000;

/**
 * Sends requests at a rate, whether those before are answered or not, each to one surface and the next to the other.
 *
 * @param heard is told of every answer
 */
export function startLoad(
  { rate, pets }: { readonly rate: number; readonly pets: number },
  { send }: Sender,
  ledger: Ledger,
  heard: (answered: Answered) => void,
): Load {
  const calls = callsOf('mix', pets);
  const underWay = new Set<Promise<void>>();
  const began = performance.now();
  let sent = 0;
  let deadline = Infinity;

  const once = async (request: Request, name?: string): Promise<Answered> => {
    const answered = await send(request, name);
    heard(answered);
    return answered;
  };
  const untilDone = async (request: Request, name: string): Promise<void> => {
    for (;;) {
      ledger.asked(name, { repeatable: true });
      const { outcome, text } = await once(request, name);
      if (outcome === 'good') {
        ledger.acknowledged(name, /"id":"?(\d+)/.exec(text)?.[1] ?? text);
        return;
      }
      if (performance.now() > deadline) return;
      await setTimeout(PAUSE);
    }
  };
  const sendOne = (number: number): void => {
    const call = calls[number % calls.length];
    const surface: Surface = number % 2 === 0 ? 'rest' : 'graphql';
    if (call === undefined) return;
    const name = `soak-${number}`;
    const work =
      call.does === 'create'
        ? untilDone(requestFor(surface, { ...call, name }), name)
        : once(requestFor(surface, call)).then(() => undefined);
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
    end: async (patience) => {
      clearInterval(ticking);
      deadline = performance.now() + patience;
      await Promise.all(underWay);
    },
  };
}

function requestFor(surface: Surface, call: Call): Request {
  return surface === 'rest' ? restRequest(call) : graphqlRequest(call, ownDocuments);
}
