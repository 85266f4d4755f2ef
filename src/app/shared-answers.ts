import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createFlights } from '../flights/next-flight.ts';
import { onceSent } from '../http/send.ts';
import { requestUnderWay, type RequestUnderWay } from '../log.ts';

type Exchange = Parameters<RequestListener>;

interface Answer {
  readonly response: ServerResponse;
  readonly body: string | Buffer;
  /** The request that it was made for. */
  readonly made: RequestUnderWay | undefined;
  /** Read from the response when somebody else wants them. */
  headers?: readonly string[];
}

/** What tells a request from others like it: of these, an answer knows nothing. */
const OF_ONE_REQUEST = new Set(['x-request-id', 'traceparent', 'tracestate']);

/** What each answer has for itself. */
const OF_ONE_ANSWER = new Set(['x-request-id', 'connection']);

/**
 * Answers requests for one of these paths that come at a time and are the same, the caller's key included,
 * by one answer, be it an error: the next one, never one that is being made already
 * (src/flights/next-flight.ts).
 *
 * @param paths addresses whose answers to GET depend on the request alone, and have no other effect
 */
export function shareAnswers(
  listener: RequestListener,
  paths: ReadonlySet<string>,
): RequestListener {
  const share = createFlights<Answer | undefined>();

  async function answer(key: string, ...[request, response]: Exchange): Promise<void> {
    let isFirst = false;
    const shared = await share(key, () => {
      isFirst = true;
      return makeAnswer(listener, request, response);
    });
    if (shared !== undefined && !isFirst) {
      repeat(shared, response);
    } else if (!isFirst) {
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
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
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

/** Lets the listener answer a request; undefined if it does so otherwise than by src/http/send.ts. */
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

function repeat(answer: Answer, response: ServerResponse): void {
  const underWay = requestUnderWay.getStore();
  if (underWay !== undefined) {
    underWay.keyId = answer.made?.keyId;
    if (answer.response.statusCode >= 500) {
      underWay.errorLoggedUnder = answer.made?.errorLoggedUnder ?? answer.made?.id;
    }
  }
  answer.headers ??= headersOf(answer.response);
  // As a list, and none set before: so Node writes them as they are.
  const headers = ['X-Request-Id', underWay?.id ?? '', ...answer.headers];
  response.writeHead(answer.response.statusCode, headers);
  response.end(answer.body);
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
