import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** How requests ended: answered, on a connection that was closed or reset, or never. Refused connections are counted separately. */
export interface Outcomes {
  answered: number;
  closed: number;
  refused: number;
  hung: number;
}

export interface Clients {
  readonly outcomes: Outcomes;
  /** Lets each client finish its request. */
  readonly end: () => Promise<void>;
}

/** Milliseconds after which an answer isn't waited for any more. */
const PATIENCE = 15_000;

/** Clients of which each asks for a page again and again, on a connection that it keeps or on a new one each time. */
export function startClients(
  url: string,
  key: string,
  { count, keepAlive }: { readonly count: number; readonly keepAlive: boolean },
): Clients {
  const outcomes: Outcomes = { answered: 0, closed: 0, refused: 0, hung: 0 };
  const ending = new AbortController();
  const ask = async (agent: Agent): Promise<keyof Outcomes> => {
    const headers = { Authorization: `Bearer ${key}` };
    const asked = request(`${url}/v1/pets?limit=5`, { agent, headers });
    const answer = Promise.withResolvers<IncomingMessage>();
    asked.once('response', answer.resolve).once('error', answer.reject).end();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      asked.destroy();
    }, PATIENCE);
    try {
      await buffer(await answer.promise);
      return 'answered';
    } catch (error) {
      const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
      return isLate ? 'hung' : isRefused ? 'refused' : 'closed';
    } finally {
      clearTimeout(timer);
    }
  };
  const run = async (): Promise<void> => {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    while (!ending.signal.aborted) {
      const outcome = await ask(agent);
      outcomes[outcome] += 1;
      if (outcome === 'refused') break;
    }
    agent.destroy();
  };
  const running = Array.from({ length: count }, run);
  return {
    outcomes,
    end: async () => {
      ending.abort();
      await Promise.all(running);
    },
  };
}
