import { Agent, request as send, type IncomingMessage, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { graphqlRequest, type Request, restRequest } from '../bench/load/requests.ts';
import { ownDocuments } from '../bench/peers/documents.ts';
import { ANSWER_TIMEOUT, type Asked, type Outcome, outcomeOf, type Received } from './outcome.ts';

export interface Answered {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  /** The body of a good response; otherwise a description of what was wrong. */
  readonly text: string;
}

export interface Sender {
  readonly send: (asked: Asked, idempotencyKey?: string) => Promise<Answered>;
  readonly close: () => void;
}

/** Maximum number of characters of a body to report. */
const TOLD_CHARACTERS = 200;

/** Milliseconds after which a request without a response is aborted. */
const SOCKET_TIMEOUT = 10_000;

export function createSender(url: string, key: string): Sender {
  const agent = new Agent({ keepAlive: true });
  return {
    send: async (asked, idempotencyKey) => {
      const began = performance.now();
      const { method, path, body } = requestFor(asked);
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
        const outcome = outcomeOf(asked, received, milliseconds);
        const told = `${method} ${path}: ${received.status} after ${Math.round(milliseconds)} ms: ${received.body.slice(0, TOLD_CHARACTERS)}`;
        return { outcome, milliseconds, text: outcome === 'good' ? received.body : told };
      } catch (error) {
        const milliseconds = performance.now() - began;
        // An open connection without a response is a failure of the service, not an outage.
        const outcome = milliseconds > ANSWER_TIMEOUT ? 'wrong' : 'unanswered';
        return { outcome, milliseconds, text: `${method} ${path}: ${String(error)}` };
      }
    },
    close: () => {
      agent.destroy();
    },
  };
}

function requestFor({ surface, call }: Asked): Request {
  return surface === 'rest' ? restRequest(call) : graphqlRequest(call, ownDocuments);
}

async function receive(url: URL, options: RequestOptions, body: string): Promise<Received> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(url, { ...options, timeout: SOCKET_TIMEOUT });
    sent.once('error', reject);
    sent.once('response', resolve);
    sent.once('timeout', () => {
      sent.destroy(new Error('no response'));
    });
    sent.end(body);
  });
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    body: await text(response),
  };
}
