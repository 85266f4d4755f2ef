import type {
  IncomingMessage,
  OutgoingHttpHeader,
  OutgoingHttpHeaders,
  RequestListener,
  ServerResponse,
} from 'node:http';
import {
  createCoalescer,
  requestContext,
  type RequestContext,
  recorder,
  pathOf,
  tracer,
} from '@store-gateway/ops';
import type { RateLimit } from './limits/rate-limits.ts';
import { endWith, onceSent } from './message/send.ts';
import { hasBody } from './request-head.ts';

interface SharedResponse {
  readonly response: ServerResponse;
  readonly body: string | Uint8Array;
  /** Headers that it had before it was made: those of steps, which each response has for itself. */
  readonly given: OutgoingHttpHeaders;
  /** Of the request that it was made for. */
  readonly context: RequestContext | undefined;
  /** Read from the response when another request needs them. */
  headers?: readonly string[];
}

/** Request headers that no response depends on. */
const IGNORED_HEADERS = ['x-request-id', 'traceparent', 'tracestate'];

/** Response headers that each response has for itself. */
const OWN_HEADERS = new Set(['x-request-id', 'connection', 'ratelimit']);

/**
 * Answers concurrent identical requests, with the same key, by one response, even an error: the next one, never one that
 * is being made already (`createCoalescer` of @store-gateway/ops). Each counts for the limit of the key; the same invalid key is one attempt.
 * A path is shared until a response there was for its request alone (`keepResponse` of @store-gateway/ops).
 *
 * @param paths whose responses to GET depend on the request's headers and its client's address alone, and have no other effect
 * @param keyLimit how much each key may ask for
 */
export function coalesceResponses(
  listener: RequestListener,
  paths: ReadonlySet<string>,
  keyLimit: RateLimit | undefined,
): RequestListener {
  const coalescer = createCoalescer<SharedResponse | undefined>((leads) => {
    recorder.add('shared_calls_total', 1, { place: 'answers', role: leads ? 'led' : 'joined' });
  });
  const share = tracer.coalescer(coalescer);
  const sharedPaths = new Set(paths);

  return (request, response) => {
    const key = coalescingKey(request, sharedPaths);
    if (key === undefined) {
      listener(request, response);
      return;
    }
    let isFirst = false;
    const lead = (isAlone: boolean): Promise<SharedResponse | undefined> => {
      isFirst = true;
      const context = requestContext.getStore();
      if (context !== undefined) {
        context.sharesResponse = !isAlone;
      }
      const given = response.getHeaders();
      return new Promise((resolve) => {
        // When it is written, not when the client has read it: the others shall not wait for a slow one.
        onceSent(response, (body) => {
          resolve({ response, body, given, context });
        });
        response.prependListener('close', () => {
          resolve(undefined);
        });
        listener(request, response);
      });
    };
    const leadOrJoin = async (): Promise<void> => {
      const shared = await share(key, lead);
      if (shared !== undefined && isKept(shared)) {
        sharedPaths.delete(pathOf(request.url ?? ''));
      }
      if (!isFirst && !(shared !== undefined && repeat(shared, response, keyLimit))) {
        listener(request, response);
      }
    };
    void leadOrJoin();
  };
}

function coalescingKey(request: IncomingMessage, paths: ReadonlySet<string>): string | undefined {
  const { method, url = '', rawHeaders, headers } = request;
  if (method !== 'GET' || hasBody(request) || !paths.has(pathOf(url))) {
    return undefined;
  }
  // All that a handler may go by beside the headers.
  const address = request.socket.remoteAddress ?? '';
  if (IGNORED_HEADERS.every((name) => headers[name] === undefined)) {
    // No name or value has a line feed in it.
    return `${address} ${url}\n${rawHeaders.join('\n')}`;
  }
  let key = `${address} ${url}`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!IGNORED_HEADERS.includes(name)) {
      key += `\n${name}\n${rawHeaders[index + 1] ?? ''}`;
    }
  }
  return key;
}

/** Repeats a response to an identical request; false if it can't be the response to that. */
function repeat(
  shared: SharedResponse,
  response: ServerResponse,
  keyLimit: RateLimit | undefined,
): boolean {
  const { statusCode } = shared.response;
  if (isKept(shared)) {
    return false;
  }
  const keyId = shared.context?.keyId;
  const isLimited = statusCode === 429;
  if (keyId === undefined && isLimited) {
    // The limit is of an address, and the other request may come from another.
    return false;
  }
  const quota = keyId === undefined ? undefined : keyLimit?.[isLimited ? 'peek' : 'take'](keyId);
  if (quota?.allowed === isLimited) {
    return false;
  }
  const context = requestContext.getStore();
  if (context !== undefined) {
    context.keyId = keyId;
    context.operation = shared.context?.operation;
    context.authentication = shared.context?.authentication;
    if (statusCode >= 500) {
      context.errorLoggedUnder = shared.context?.errorLoggedUnder ?? shared.context?.id;
    }
  }
  shared.headers ??= headersOf(shared);
  // As a list, and none set before: so Node writes them as they are.
  const headers = ['X-Request-Id', context?.id ?? '', ...shared.headers];
  if (keyLimit !== undefined && quota !== undefined) {
    headers.push('RateLimit', keyLimit.quotaField(quota));
  }
  response.writeHead(statusCode, headers);
  endWith(response, shared.body, Buffer.byteLength(shared.body));
  return true;
}

/** Whether a response is for its request alone, as a cookie is. */
function isKept({ response, context }: SharedResponse): boolean {
  return context?.keepsResponse === true || response.hasHeader('Set-Cookie');
}

/** Names and values in turn, without those of each response for itself. */
function headersOf({ response, given }: SharedResponse): string[] {
  return response
    .getHeaderNames()
    .filter((name) => !OWN_HEADERS.has(name) && !isSame(given[name], response.getHeader(name)))
    .flatMap((name) =>
      [response.getHeader(name) ?? []].flat().flatMap((value) => [name, String(value)]),
    );
}

function isSame(
  given: OutgoingHttpHeader | undefined,
  value: OutgoingHttpHeader | undefined,
): boolean {
  return given !== undefined && String(given) === String(value);
}
