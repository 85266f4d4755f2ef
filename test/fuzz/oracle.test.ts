import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { readAnswers } from '../support/http-answers.ts';
import { auditFaults } from './audit.ts';
import { FORBIDDEN, type Exchange } from './exchange.ts';
import { faultsOf } from './oracle.ts';
import type { Outcome } from './send-exchange.ts';

const ONE: Exchange = {
  kind: 'a test',
  bytes: 'GET / HTTP/1.1\r\n\r\n',
  cuts: [3],
  end: 'wait',
  methods: ['GET'],
  tag: 'fuzz 1',
};
const TWO: Exchange = { ...ONE, methods: ['GET', 'GET'] };
const UNKNOWN: Exchange = { ...ONE, methods: undefined };

/** A response as the service writes it. */
function answer(status: number, body: string, ...fields: readonly string[]): string {
  const type = 'Content-Type: application/json; charset=utf-8';
  const lines = [type, `Content-Length: ${Buffer.byteLength(body)}`, ...fields].join('\r\n');
  return `HTTP/1.1 ${status} X\r\n${lines}\r\n\r\n${body}`;
}

const error = (status: number, code: string, message = 'No', ...fields: readonly string[]) =>
  answer(status, errorBody(status, code, message), ...fields);
const rejection = (message: string) => error(400, 'BAD_USER_INPUT', message);

const OK = answer(200, '[]');
const NO = rejection('No');
const OVERLOADED = 'The service is overloaded right now. Please try again.';
const LATER = 'Retry-After: 1';
const OF_LOAD = errorBody(503, 'OVERLOADED', OVERLOADED);
const PARTIAL = JSON.stringify({
  errors: [{ message: OVERLOADED, path: ['a'], extensions: { code: 'OVERLOADED', status: 503 } }],
  data: { a: null, b: [] },
});
const CLOSED = { end: 'closed' } as const;
const HALF_CLOSED = { ...CLOSED, clientHasClosed: true } as const;
const NONE = /^$/;
const LEAK = 'it tells what it should not';

test.each<[string, string, string | RegExp, Exchange?, Partial<Outcome>?]>([
  ['a success', OK, NONE],
  ['a rejection', NO, NONE],
  ['503 with Retry-After', answer(503, OF_LOAD, LATER), NONE],
  ['partial data whose rest was rejected because of load', answer(200, PARTIAL), NONE],
  ['two answers to an unknown number of requests', OK + NO, NONE, UNKNOWN],
  ['an announced close', answer(200, '[]', 'Connection: close'), NONE, TWO, CLOSED],
  ['no answer to a client that has closed its side', '', NONE, UNKNOWN, HALF_CLOSED],
  [
    'a reset after the client has closed its side',
    '',
    NONE,
    UNKNOWN,
    { ...HALF_CLOSED, isReset: true },
  ],
  ['no answer to a client that has given up', '', NONE, UNKNOWN, { end: 'abandoned' }],
  ['an unescaped line break', answer(400, '{"message":"x\n    at f (x:1:2)"}'), 'not in the form'],
  ['a file name', rejection('x at f (src/rest/routes.ts:1:2)'), LEAK],
  ['SQL', rejection('SELECT id FROM pets'), LEAK],
  ['a key', answer(200, `["asg_${'a'.repeat(49)}"]`), LEAK],
  ['a leak in 503', answer(503, `{"by":"pg_sleep",${OF_LOAD.slice(1)}`, LATER), LEAK],
  ['401 without a challenge', error(401, 'UNAUTHENTICATED'), '401 without a challenge'],
  ['a status that does not match the code', NO.replace('400', '404'), 'not in the form'],
  ['503 without Retry-After', answer(503, OF_LOAD), '503 without Retry-After'],
  [
    '503 with a different message',
    error(503, 'OVERLOADED', 'No', LATER),
    '503 in the form of neither',
  ],
  [
    'a rejection because of load with 400',
    answer(400, OF_LOAD),
    'refused for load, but not by 503',
  ],
  ['two answers to one request, and a close', OK + OK, '2 answers to 1 requests', ONE, CLOSED],
  ['one answer to two requests', OK, '1 answers to 2 requests', TWO, CLOSED],
  ['a partial response head', OK.slice(0, 20), 'closed within an answer', ONE, CLOSED],
  ['a close without an answer', '', 'closed without an answer', UNKNOWN, CLOSED],
  ['a reset', OK, 'was reset', UNKNOWN, { ...CLOSED, isReset: true }],
  ['invalid HTTP', 'HTTP/1.1 200\r\n\r\n', 'not HTTP'],
])('the oracle correctly judges %s', (_what, text, fault, exchange = ONE, given = {}) => {
  const { end = 'answered' } = given;
  const read = readAnswers(Buffer.from(text), () => false, end === 'closed');
  const other = { waitedFor: 'an answer', clientHasClosed: false, isReset: false } as const;
  const faults = faultsOf(exchange, { end, read, milliseconds: 10, ...other, ...given });
  expect(faults.join('\n')).toMatch(fault);
});

const ANIMAL = { id: '1', name: 'honest 1', categoryId: '7', status: 'sold' };
const ADDED = new Map([[ANIMAL.id, ANIMAL]]);
const POSSIBLE = { ...ANIMAL, id: '2', name: 'honest 2' };
const HOSTILE = { ...ANIMAL, id: '3', name: 'fuzz 2' };

test.each([
  ['an added animal', [ANIMAL], NONE],
  ["an attacker's animal", [ANIMAL, HOSTILE], NONE],
  ['a missing animal', [], '"nothing" is stored'],
  ['an animal with a different status', [{ ...ANIMAL, status: 'pending' }], 'was added'],
  [
    'an added animal that is stored twice',
    [ANIMAL, { ...ANIMAL, id: '9' }],
    'no client has added it',
  ],
  [
    'an uncertain animal that is stored twice',
    [ANIMAL, POSSIBLE, { ...POSSIBLE, id: '9' }],
    'no client has added',
  ],
  ['a rejected animal that is stored', [ANIMAL, { ...HOSTILE, name: 'fuzz 1' }], 'was refused'],
  [
    'an animal from a smuggled request',
    [ANIMAL, { ...HOSTILE, name: `${FORBIDDEN} x` }],
    'no client has asked for',
  ],
])('the audit correctly judges %s', (_what, stored, fault) => {
  const honest = { added: ADDED, unsure: new Set([POSSIBLE.name]) };
  expect(auditFaults(stored, honest, new Set(['fuzz 1'])).join('\n')).toMatch(fault);
});

test.each([
  'HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 X\r\nContent-Length: 5\r\n\r\nabcde',
])('a response is complete when its last byte has arrived: %j', (text) => {
  const readOf = (length: number) =>
    readAnswers(Buffer.from(text.slice(0, length)), () => false, false);
  for (let length = 1; length < text.length; length += 1) {
    expect(readOf(length)).toMatchObject({ answers: [], fault: undefined });
  }
  const { answers, fault, needed } = readOf(text.length);
  expect([
    answers.map(({ status, body }) => `${status} ${body.toString()}`),
    fault,
    needed,
  ]).toEqual([['201 abcde'], undefined, 0]);
});
