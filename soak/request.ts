import { Agent, request as send, type IncomingMessage, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Request } from '../bench/load/requests.ts';
import { isJsonObject } from '../src/json.ts';

/** What became of a request. */
export type Outcome =
  | 'good'
  /** A 503 as it should be: its code, its Retry-After, and in time. */
  | 'unavailable'
  /** Nobody was there, or the connection ended before the answer was whole. */
  | 'unanswered'
  /** Any other answer, one with errors, or one after more than 2 s. */
  | 'wrong';

export interface Answered {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** What was wrong, or the body. */
  readonly text: string;
}

export interface Sender {
  readonly send: (request: Request, idempotencyKey?: string) => Promise<Answered>;
  readonly close: () => void;
}

/** Milliseconds within which every request is to be answered. */
const PATIENCE = 2000;

/** After so many, an answer that has not come is not waited for any more. */
const NEVER = 10_000;

export function createSender(url: string, key: string): Sender {
  const agent = new Agent({ keepAlive: true });
  return {
    send: async ({ method, path, body }, idempotencyKey) => {
      const began = performance.now();
      const headers = {
        Authorization: `Bearer ${key}`,
        ...(body !== '' && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
        }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      };
      try {
        const received = await receive(new URL(path, url), { method, headers, agent }, body);
        const milliseconds = performance.now() - began;
        const outcome = outcomeOf(received, milliseconds);
        const told = `${received.status} after ${Math.round(milliseconds)} ms: ${received.body}`;
        return { outcome, milliseconds, text: outcome === 'good' ? received.body : told };
      } catch (error) {
        const milliseconds = performance.now() - began;
        // Where somebody holds the connection and says nothing, that is no outage but a fault.
        const outcome = milliseconds > PATIENCE ? 'wrong' : 'unanswered';
        return { outcome, milliseconds, text: String(error) };
      }
    },
    close: () => {
      agent.destroy();
    },
  };
}

interface Received {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

async function receive(url: URL, options: RequestOptions, body: string): Promise<Received> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(url, { ...options, timeout: NEVER });
    sent.once('error', reject);
    sent.once('response', resolve);
    sent.once('timeout', () => {
      sent.destroy(new Error('no answer'));
    });
    sent.end(body);
  });
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: await text(response),
  };
}

function outcomeOf({ status, retryAfter, body }: Received, milliseconds: number): Outcome {
  if (milliseconds > PATIENCE) return 'wrong';
  if ((status === 200 || status === 201) && !body.startsWith('{"errors"')) return 'good';
  return status === 503 && Number(retryAfter) > 0 && tellsUnavailable(body)
    ? 'unavailable'
    : 'wrong';
}

/** On either surface. */
function tellsUnavailable(body: string): boolean {
  try {
    const told: unknown = JSON.parse(body);
    return (
      isJsonObject(told) &&
      (told['code'] === 'SERVICE_UNAVAILABLE' ||
        (Array.isArray(told['errors']) && body.includes('"code":"SERVICE_UNAVAILABLE"')))
    );
  } catch {
    return false;
  }
}
