import { isDeepStrictEqual } from 'node:util';
import { ERROR_KINDS } from '@store-gateway/ops/errors';
import { isJsonObject } from '@store-gateway/ops';
import { isWellFormed } from '../support/answer-form.ts';
import type { WireAnswer } from '../support/http-answers.ts';
import type { Exchange } from './exchange.ts';
import { ANSWER_TIMEOUT, type Outcome } from './send-exchange.ts';

/** Texts that reveal the program's internals. The fuzzer never sends them. */
const LEAKS = [
  /\n\s+at .+:\d+/,
  /node_modules|file:\/\/|\/(?:src|test)\/|\.[jt]s:\d/,
  /\b(?:Type|Range|Reference|Syntax|Aggregate)Error\b|\bHPE_|\bE(?:CONN|PIPE|NOENT|MFILE)/,
  /\b(?:SELECT .+ FROM|INSERT INTO|UPDATE .+ SET|DELETE FROM|SQLSTATE)\b/,
  /prisma|postgres|pg_|body-parser|express|graphql-yoga|envelop|whatwg/i,
  /Cannot read propert|is not a function|is not iterable|Unexpected token|Unexpected end of/,
  /\basg_[0-9A-Za-z]{43}/,
];

/**
 * Error codes for requests that are rejected because of load: on a busy machine, the database may respond too late. No
 * other 5xx is allowed, and limits.ts limits the share of these.
 */
const LOAD_CODES = ['OVERLOADED', 'SERVICE_UNAVAILABLE'] as const;
const HAS_LOAD_CODE = new RegExp(`"code":"(?:${LOAD_CODES.join('|')})"`);

/** The faults in the outcome of an exchange. */
export function faultsOf(exchange: Exchange, outcome: Outcome): string[] {
  const { end, waitedFor, isReset, clientHasClosed } = outcome;
  const { answers, fault, needed } = outcome.read;
  const { bytes, methods } = exchange;
  const expected = methods?.length;
  // The rest of the bytes is ignored after a response that announces the close (RFC 9112, 9.6).
  const isLast = answers.at(-1)?.headers.get('connection') === 'close';
  const isClosed = end === 'closed';
  const isShort = isClosed && needed === 0 && answers.length < (expected ?? 0) && !isLast;
  // A client that has closed its side is not owed a response.
  const isOwed = isClosed && needed === 0 && !clientHasClosed;
  const faults: readonly (readonly [isFault: boolean, fault: string])[] = [
    [
      end === 'hung',
      `${answers.length} of ${expected ?? 'some'} answers and no close within ${ANSWER_TIMEOUT} ms: it waits for ${waitedFor}`,
    ],
    [fault !== undefined, `not HTTP: ${fault}`],
    [isClosed && needed > 0, 'the connection was closed within an answer'],
    [isOwed && answers.length === 0 && bytes !== '', 'the connection was closed without an answer'],
    [isOwed && isReset, 'the connection was reset, by which an answer may be lost'],
    // More answers than requests: a part of a body was read as a request.
    [
      isShort || answers.length > (expected ?? Infinity),
      `${answers.length} answers to ${expected} requests`,
    ],
  ];
  return [
    ...faultsIn(faults),
    ...answers.flatMap((answer, index) => answerFaults(bytes, answer, methods?.[index] === 'HEAD')),
  ];
}

function faultsIn(faults: readonly (readonly [isFault: boolean, fault: string])[]): string[] {
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

/** Whether any of the responses contains an animal that was added. */
export function addsAnimal({ read: { answers } }: Outcome): boolean {
  return answers.some(
    ({ status, body }) =>
      status === 201 ||
      ([200, 294].includes(status) && /^\{.*"data":\{.*\{/s.test(body.toString('latin1'))),
  );
}

/** Whether a response rejects all or part of a request because of load. GraphQL may return partial data. */
export function refusesForLoad({ status, body }: Pick<WireAnswer, 'status' | 'body'>): boolean {
  return status === 503 || HAS_LOAD_CODE.test(body.toString('latin1'));
}

function answerFaults(sent: string, answer: WireAnswer, isHead: boolean): string[] {
  const { status, headers, body } = answer;
  const type = headers.get('content-type') ?? '';
  const text = body.toString();
  const told = `${status} ${type} ${JSON.stringify(text.slice(0, 300))}`;
  const isJson = type.startsWith('application/json') || type.includes('graphql-response+json');
  // A page for a client that claims to be a browser, or public content.
  const isPage = !isJson && (status < 400 || /text\/|\*\/\*;/i.test(sent));
  const hasBody = !isHead && (body.length > 0 || !sent.includes('HEAD'));
  const json = parsed(text);
  const isNotReady = text.startsWith('not ready: ');
  const isPartial = status === 200 && isJsonObject(json) && isJsonObject(json['data']);
  const isOfLoad = errorsIn(json).some(isLoadError);
  return [
    ...faultsIn(
      refusesForLoad(answer)
        ? [
            [!isJson && !isNotReady, `refused for load, but not in JSON: ${told}`],
            [
              status !== 503 && !(isPartial && isOfLoad),
              `refused for load, but not by 503: ${told}`,
            ],
            [
              status === 503 && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''),
              `503 without Retry-After: ${told}`,
            ],
            [
              status === 503 && hasBody && !isNotReady && !isOfLoad,
              `503 in the form of neither API: ${told}`,
            ],
          ]
        : [
            // 501 is the client's fault: it has made up a method.
            [status >= 500 && status !== 501, `a fault of the service: ${told}`],
            [status === 401 && !headers.has('www-authenticate'), '401 without a challenge'],
            [
              isJson && hasBody && status !== 304 && !isInForm(status, text),
              `not in the form of its API: ${told}`,
            ],
            [status >= 400 && !isJson && !isPage && hasBody, `an error that is not JSON: ${told}`],
          ],
    ),
    ...(isPage && status < 400 ? [] : leaksIn(headers, text)),
  ];
}

/** Leaks outside hashes, which may contain any letters. */
function leaksIn(headers: ReadonlyMap<string, string>, text: string): string[] {
  const fields = [...headers].filter(([name]) => name !== 'etag').join('\n');
  const told = `${fields}\n\n${text.replaceAll(/"version":"[^"]*"/g, '')}`;
  return LEAKS.filter((leak) => leak.test(told)).map(
    (leak) => `it tells what it should not, ${String(leak)}: ${told.slice(0, 1000)}`,
  );
}

function isInForm(status: number, text: string): boolean {
  try {
    return isWellFormed({ status, text });
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The errors in a response from either API, in the form that REST uses. */
function errorsIn(json: unknown): unknown[] {
  return isJsonObject(json) && Array.isArray(json['errors'])
    ? json['errors'].map((error: unknown) =>
        isJsonObject(error) && isJsonObject(error['extensions'])
          ? { message: error['message'], ...error['extensions'] }
          : error,
      )
    : [json];
}

function isLoadError(error: unknown): boolean {
  return LOAD_CODES.some((code) =>
    isDeepStrictEqual(error, { code, message: ERROR_KINDS[code].constantText, status: 503 }),
  );
}
