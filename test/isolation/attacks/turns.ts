import { Agent, request } from 'node:http';
import type { Target } from './attack.ts';

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Milliseconds until the next request of a connection that was closed. */
const PAUSE_MS = 20;

/** Sends requests with the key on the attack's connections, on each the next one when one is answered. */
export function takeTurns(target: Target, next: () => Call): void {
  const { host, port, key, connections } = target;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const send = () => {
    const { method, path, headers, body = '' } = next();
    const type = body === '' ? {} : { 'Content-Type': 'application/json' };
    const options = {
      agent,
      host,
      port,
      method: method ?? (body === '' ? 'GET' : 'POST'),
      path,
      headers: { Authorization: `Bearer ${key}`, ...type, ...headers },
    };
    request(options, (response) => {
      response.resume().once('close', send);
    })
      .once('error', () => setTimeout(send, PAUSE_MS))
      .end(body);
  };
  for (let count = 0; count < connections; count += 1) {
    send();
  }
}

/** The same with GraphQL operations. */
export function takeTurnsWithOperations(
  target: Target,
  next: () => { readonly query: string; readonly variables?: object },
): void {
  takeTurns(target, () => ({ path: '/graphql', body: JSON.stringify(next()) }));
}

/** A number that was hardly used before. */
export function random(below = 1e9): number {
  return Math.floor(Math.random() * below);
}

/** What `item` makes of 0, 1, 2 and so on. */
export function many(count: number, item: (index: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(separator);
}
