import { expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { faultsOf } from './oracle.ts';
import type { Outcome } from './receive-answers.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { readAnswers } from '../support/http-answers.ts';

const EXCHANGE: Exchange = {
  kind: 'a test',
  bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  cuts: [3],
  end: 'wait',
  methods: ['GET'],
  tag: 'fuzz 1',
};
const UNKNOWN: Exchange = { ...EXCHANGE, methods: undefined };
const OVERLOADED = 'The service is overloaded right now. Please try again.';

/** As the service writes it. */
function answer(status: number, body: string, ...fields: readonly string[]): string {
  const type = 'Content-Type: application/json; charset=utf-8';
  const lines = [type, `Content-Length: ${Buffer.byteLength(body)}`, ...fields].join('\r\n');
  return `HTTP/1.1 ${status} X\r\n${lines}\r\n\r\n${body}`;
}

function outcomeOf(text: string, outcome: Partial<Outcome> = {}): Outcome {
  const { end = 'answered' } = outcome;
  return {
    end,
    waitedFor: 'an answer',
    clientHasClosed: false,
    isReset: false,
    milliseconds: 10,
    read: readAnswers(Buffer.from(text), () => false, end === 'closed'),
    ...outcome,
  };
}

const OK = answer(200, '[]');
const REFUSED = answer(400, errorBody(400, 'BAD_USER_INPUT', 'Not so'));
const REFUSED_FOR_LOAD = errorBody(503, 'OVERLOADED', OVERLOADED);
const PARTIAL = {
  errors: [{ message: OVERLOADED, path: ['a'], extensions: { code: 'OVERLOADED', status: 503 } }],
  data: { a: null, b: [] },
};

test.each([
  ['a success', EXCHANGE, outcomeOf(OK)],
  ['a refusal', EXCHANGE, outcomeOf(REFUSED)],
  [
    'a refusal by GraphQL',
    EXCHANGE,
    outcomeOf(answer(400, graphqlErrorBody(400, 'BAD_USER_INPUT', 'Not so'))),
  ],
  ['503 with Retry-After', EXCHANGE, outcomeOf(answer(503, REFUSED_FOR_LOAD, 'Retry-After: 1'))],
  [
    'data, but for a part that was refused for load',
    EXCHANGE,
    outcomeOf(answer(200, JSON.stringify(PARTIAL))),
  ],
  ['two answers where nobody knows how many', UNKNOWN, outcomeOf(OK + REFUSED)],
  [
    'a close behind an answer that says so',
    { ...EXCHANGE, methods: ['GET', 'GET'] },
    outcomeOf(answer(200, '[]', 'Connection: close'), { end: 'closed' }),
  ],
  [
    'nothing for a client that has closed its side',
    UNKNOWN,
    outcomeOf('', { end: 'closed', clientHasClosed: true }),
  ],
  [
    'a reset of a client that has closed its side',
    UNKNOWN,
    outcomeOf('', { end: 'closed', clientHasClosed: true, isReset: true }),
  ],
  [
    'nothing for a client that has given up',
    { ...UNKNOWN, end: 'reset' },
    outcomeOf('', { end: 'abandoned' }),
  ],
] as const)('%s is no fault', (_what, exchange, outcome) => {
  expect(faultsOf(exchange, outcome)).toEqual([]);
});

test.each([
  [
    '500',
    EXCHANGE,
    outcomeOf(answer(500, errorBody(500, 'INTERNAL_SERVER_ERROR', 'Wrong'))),
    'a fault of the service',
  ],
  [
    'a stack trace',
    EXCHANGE,
    outcomeOf(
      answer(400, errorBody(400, 'BAD_USER_INPUT', 'x\n    at f (x:1:2)').replace('\\n', '\n')),
    ),
    'not in the shape',
  ],
  [
    'a stack trace in words of the contract',
    EXCHANGE,
    outcomeOf(answer(400, errorBody(400, 'BAD_USER_INPUT', 'x at f (src/rest/routes.ts:1:2)'))),
    'it tells what it should not',
  ],
  [
    'SQL',
    EXCHANGE,
    outcomeOf(answer(400, errorBody(400, 'BAD_USER_INPUT', 'SELECT id FROM pets'))),
    'it tells what it should not',
  ],
  [
    'a key',
    EXCHANGE,
    outcomeOf(answer(200, `["asg_${'a'.repeat(49)}"]`)),
    'it tells what it should not',
  ],
  [
    '401 without a challenge',
    EXCHANGE,
    outcomeOf(answer(401, errorBody(401, 'UNAUTHENTICATED', 'No'))),
    '401 without a challenge',
  ],
  [
    'a status that is not that of the code',
    EXCHANGE,
    outcomeOf(answer(404, errorBody(404, 'BAD_USER_INPUT', 'No'))),
    'not in the shape',
  ],
  [
    '503 without Retry-After',
    EXCHANGE,
    outcomeOf(answer(503, REFUSED_FOR_LOAD)),
    '503 without Retry-After',
  ],
  [
    '503 in other words',
    EXCHANGE,
    outcomeOf(answer(503, errorBody(503, 'OVERLOADED', 'No'), 'Retry-After: 1')),
    '503 in no shape',
  ],
  [
    '503 with a leak',
    EXCHANGE,
    outcomeOf(answer(503, `${REFUSED_FOR_LOAD.slice(0, -1)},"by":"pg_sleep"}`, 'Retry-After: 1')),
    'it tells what it should not',
  ],
  [
    'load that is told by 400',
    EXCHANGE,
    outcomeOf(answer(400, REFUSED_FOR_LOAD)),
    'refused for load, but not by 503',
  ],
  ['two answers to one request', EXCHANGE, outcomeOf(OK + OK), '2 answers to 1 requests'],
  [
    'a request more, and the end',
    EXCHANGE,
    outcomeOf(OK + OK, { end: 'closed' }),
    '2 answers to 1 requests',
  ],
  [
    'one answer to two requests',
    { ...EXCHANGE, methods: ['GET', 'GET'] },
    outcomeOf(OK, { end: 'closed' }),
    '1 answers to 2 requests',
  ],
  [
    'a part of an answer',
    UNKNOWN,
    outcomeOf(OK.slice(0, -1), { end: 'closed' }),
    'closed within an answer',
  ],
  [
    'a part of a head',
    EXCHANGE,
    outcomeOf(OK.slice(0, 20), { end: 'closed' }),
    'closed within an answer',
  ],
  ['a close without a word', UNKNOWN, outcomeOf('', { end: 'closed' }), 'closed without an answer'],
  ['a reset', UNKNOWN, outcomeOf(OK, { end: 'closed', isReset: true }), 'was reset'],
  ['silence', UNKNOWN, outcomeOf('', { end: 'hung' }), 'neither an answer nor a close'],
  ['what is no HTTP', EXCHANGE, outcomeOf('HTTP/1.1 200\r\n\r\n'), 'not HTTP'],
] as const)('%s is a fault', (_what, exchange, outcome, fault) => {
  expect(faultsOf(exchange, outcome).join('\n')).toContain(fault);
});
