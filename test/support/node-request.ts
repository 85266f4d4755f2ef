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
  /** If omitted, no header announces a body; an empty body has a Content-Length of 0. */
  readonly body?: string | Uint8Array;
}

/** Sends a request with Node's HTTP client; resolves when its response begins. */
export function sendRequest(
  url: string | URL,
  options: RequestOptions,
  body?: string | Uint8Array,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options).once('error', reject).once('response', resolve);
    if (body === undefined) {
      // A removed header is not added again by default.
      outgoing.removeHeader('Content-Length');
      outgoing.removeHeader('Transfer-Encoding');
    }
    outgoing.end(body);
  });
}

/** Sends what fetch cannot: any method, path and framing, and only the given headers. */
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

/** Sends a POST's headers without a body. Resolves when its response begins. */
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

/** Sends a GET, on a new connection unless an agent is given. */
export async function askAlone(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const answer = await sendRequest(url, { headers, agent });
  await text(answer);
  return answer;
}

/** Begins a POST with JSON; resolves when the service is processing it and asks for its body. */
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
 * Creates a client with a valid key that sends only valid HTTP, whatever other clients do.
 *
 * @param patience milliseconds after which it aborts a request
 */
export function createHonestClient(url: string, key: string, patience: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  return {
    /** Resolves to the status and body; on failure, to 0 and the error's code or message. */
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
    /** Closes the client's connections. */
    close: () => {
      agent.destroy();
    },
  };
}
