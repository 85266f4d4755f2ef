import { once } from 'node:events';
import {
  Agent,
  request,
  type ClientRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer, Gateway } from './gateway.ts';

export interface NodeRequest {
  readonly method?: string;
  /** The key is added if there is no Authorization. */
  readonly headers?: OutgoingHttpHeaders;
  /** Left out, nothing tells of a body; an empty one has a Content-Length of 0. */
  readonly body?: string | Uint8Array;
}

/** Sends a request of Node's; resolves when its response begins. */
export function sendRequest(
  url: string | URL,
  options: RequestOptions,
  body?: string | Uint8Array,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options).once('error', reject).once('response', resolve);
    if (body === undefined) {
      // A header that was removed is not added by default.
      outgoing.removeHeader('Content-Length');
      outgoing.removeHeader('Transfer-Encoding');
    }
    outgoing.end(body);
  });
}

/** Sends what fetch can't: any method, path and framing, and no header that isn't given. */
export async function nodeRequest(
  { url, key }: Pick<Gateway, 'url' | 'key'>,
  path: string,
  { method = 'GET', headers = {}, body }: NodeRequest = {},
): Promise<Omit<Answer, 'json'>> {
  const sent = { Authorization: `Bearer ${key}`, ...headers };
  const incoming = await sendRequest(url, { path, method, headers: sent }, body);
  const received = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) {
      received.append(name, value);
    }
  }
  return { status: incoming.statusCode ?? 0, headers: received, text: await text(incoming) };
}

/** Sends the head of a POST, and no body. Resolves when its response begins. */
export async function sendHead(url: string, headers: OutgoingHttpHeaders) {
  const outgoing = request(url, { method: 'POST', headers });
  let continued = false;
  outgoing.once('continue', () => (continued = true));
  const { statusCode: status } = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).flushHeaders();
  });
  outgoing.on('error', () => undefined).destroy();
  return { status, continued };
}

/** Sends a GET on a connection of its own, unless there is an agent. */
export async function askAlone(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const answer = await sendRequest(url, { headers, agent });
  await text(answer);
  return answer;
}

/** Begins a POST of JSON; resolves when the service is at work on it, and asks for its body. */
export async function openPost(
  { url, key }: { readonly url: string; readonly key: string },
  path: string,
  headers: Readonly<Record<string, string>> = {},
  options: RequestOptions = {},
): Promise<ClientRequest> {
  const opened = request(url + path, {
    ...options,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Expect: '100-continue',
      ...headers,
    },
  });
  opened.flushHeaders();
  await once(opened, 'continue');
  return opened;
}

/** Sends the rest of a request that has begun; resolves to its response. */
export async function endRequest(begun: ClientRequest, body = '') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    begun.once('response', resolve).once('error', reject).end(body);
  });
  const { statusCode: status, headers } = response;
  return { status, connection: headers.connection, text: await text(response) };
}

/**
 * A client with a good key, which keeps to HTTP whatever others do beside it.
 *
 * @param patience milliseconds after which it gives up a request
 */
export function createHonestClient(url: string, key: string, patience: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    /** Resolves to the status and the body; or to 0, and the code of the error, or else its message. */
    ask: async (
      method: string,
      path: string,
      body?: object,
      given: Readonly<Record<string, string>> = {},
    ): Promise<Pick<Answer, 'status' | 'text'>> => {
      const signal = AbortSignal.timeout(patience);
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        ...given,
      };
      try {
        const response = await sendRequest(
          new URL(path, url),
          { agent, method, headers, signal },
          body && JSON.stringify(body),
        );
        return { status: response.statusCode ?? 0, text: await text(response) };
      } catch (error) {
        const isCoded = error instanceof Error && 'code' in error;
        return { status: 0, text: String(isCoded ? error.code : error) };
      }
    },
    /** Closes its connections. */
    close: () => {
      agent.destroy();
    },
  };
}
