import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ERROR_KINDS } from '@gateway/errors/coded-error';
import { createFlights } from '@gateway/coalescing/coalesce';
import { onceSent } from './http/send.ts';
import { requestUnderWay, type RequestUnderWay } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import type { RateLimit } from '@gateway/rate-limits/rate-limit';
import { tracer } from '@gateway/telemetry/tracer';
import { pathOf } from '@gateway/telemetry/request-path';

type Exchange = Parameters<RequestListener>;

interface Answer {
  readonly response: ServerResponse;
  readonly body: string | Uint8Array;
  /** The request that it was made for. */
  readonly made: RequestUnderWay | undefined;
  /** Read from the response when somebody else wants them. */
  headers?: readonly string[];
}

/** What tells a request from others like it: of these, an answer knows nothing. */
const OF_ONE_REQUEST = new Set(['x-request-id', 'traceparent', 'tracestate']);

/** What each answer has for itself. */
const OF_ONE_ANSWER = new Set(['x-request-id', 'connection', 'ratelimit']);

/**
 * Answers requests for one of these paths that come at a time and are the same, the caller's key included,
 * by one answer, be it an error: the next one, never one that is being made already
 * (packages/coalescing/src/coalesce.ts). Each counts for the limit of the key; the same invalid key at a time is one
 * attempt.
 *
 * @param paths addresses whose answers to GET depend on the request alone, and have no other effect
 * @param keyLimit how much each key may ask for
 */
export function shareAnswers(
  listener: RequestListener,
  paths: ReadonlySet<string>,
  keyLimit: RateLimit | undefined,
): RequestListener {
  const flights = createFlights<Answer | undefined>(recorder.coalescingAt('answers'));
  const share = tracer.coalescer(flights);

  async function answer(key: string, ...[request, response]: Exchange): Promise<void> {
    let isFirst = false;
    const shared = await share(key, () => {
      isFirst = true;
      return makeAnswer(listener, request, response);
    });
    if (!isFirst && !(shared !== undefined && repeat(shared, response, keyLimit))) {
      listener(request, response);
    }
  }

  return (request, response) => {
    const key = keyOf(request, paths);
    if (key === undefined) {
      listener(request, response);
    } else {
      void answer(key, request, response);
    }
  };
}

function keyOf(
  { method, url = '', headers, rawHeaders }: IncomingMessage,
  paths: ReadonlySet<string>,
) {
  const path = pathOf(url);
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
  if (method !== 'GET' || hasBody || !paths.has(path)) {
    return undefined;
  }
  let key = url;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!OF_ONE_REQUEST.has(name)) {
      // No name or value has a line feed in it.
      key += `\n${name}\n${rawHeaders[index + 1] ?? ''}`;
    }
  }
  return key;
}

/** Lets the listener answer a request; undefined if it does so otherwise than by packages/http-server/src/http/send.ts. */
function makeAnswer(
  listener: RequestListener,
  ...[request, response]: Exchange
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    // When it is written, not when the client has read it: the others shall not wait for a slow one.
    onceSent(response, (body) => {
      resolve({ response, body, made: requestUnderWay.getStore() });
    });
    response.on('close', () => {
      resolve(undefined);
    });
    listener(request, response);
  });
}

/** Answers a request like the one that an answer was made for; false if that is no answer to it. */
function repeat(
  answer: Answer,
  response: ServerResponse,
  keyLimit: RateLimit | undefined,
): boolean {
  const keyId = answer.made?.keyId;
  const isRefused = answer.response.statusCode === ERROR_KINDS.TOO_MANY_REQUESTS.status;
  if (keyId === undefined && isRefused) {
    // It is for an address, and the other one may come from another.
    return false;
  }
  const standing = keyId === undefined ? undefined : keyLimit?.[isRefused ? 'look' : 'take'](keyId);
  if (standing?.allowed === isRefused) {
    return false;
  }
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.keyId = keyId;
    underWay.operation = answer.made?.operation;
    underWay.authentication = answer.made?.authentication;
    if (answer.response.statusCode >= 500) {
      underWay.errorLoggedUnder = answer.made?.errorLoggedUnder ?? answer.made?.id;
    }
  }
  answer.headers ??= headersOf(answer.response);
  // As a list, and none set before: so Node writes them as they are.
  const headers = ['X-Request-Id', underWay?.id ?? '', ...answer.headers];
  if (keyLimit !== undefined && standing !== undefined) {
    headers.push('RateLimit', keyLimit.standingField(standing));
  }
  response.writeHead(answer.response.statusCode, headers);
  response.end(answer.body);
  return true;
}

/** Names and values in turn, without what each answer has for itself. */
function headersOf(response: ServerResponse): string[] {
  return response
    .getHeaderNames()
    .filter((name) => !OF_ONE_ANSWER.has(name))
    .flatMap((name) =>
      [response.getHeader(name) ?? []].flat().flatMap((value) => [name, String(value)]),
    );
}
