import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Answer, Gateway } from './gateway.ts';

export interface NodeRequest {
  readonly method?: string;
  /** The key is added if there is no Authorization. */
  readonly headers?: OutgoingHttpHeaders;
  /** Left out, nothing tells of a body; an empty one has a Content-Length of 0. */
  readonly body?: string | Uint8Array;
}

/** Sends what fetch can't: any method, path and framing, and no header that isn't given. */
export async function nodeRequest(
  { url, key }: Pick<Gateway, 'url' | 'key'>,
  path: string,
  { method = 'GET', headers = {}, body }: NodeRequest = {},
): Promise<Omit<Answer, 'json'>> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, {
      path,
      method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
    });
    outgoing.once('error', reject);
    outgoing.once('response', resolve);
    if (body === undefined) {
      // A header that was removed is not added by default.
      outgoing.removeHeader('Content-Length');
      outgoing.removeHeader('Transfer-Encoding');
    }
    outgoing.end(body);
  });
  const received = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) {
      received.append(name, value);
    }
  }
  return { status: incoming.statusCode ?? 0, headers: received, text: await text(incoming) };
}
