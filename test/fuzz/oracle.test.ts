import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { readAnswers } from '../support/http-answers.ts';
import { auditFaults } from './audit.ts';
import { FORBIDDEN, type Exchange } from './exchange.ts';
import { limitFaults } from './limits.ts';
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
  ['a rejection by GraphQL', answer(400, graphqlErrorBody(400, 'BAD_USER_INPUT', 'No')), NONE],
  ['503 with Retry-After', answer(503, OF_LOAD, LATER), NONE],
  ['data without a part that was refused for load', answer(200, PARTIAL), NONE],
  ['two answers to an unknown number of requests', OK + NO, NONE, UNKNOWN],
  ['an announced close', answer(200, '[]', 'Connection: close'), NONE, TWO, CLOSED],
  ['no answer to a client that has closed its side', '', NONE, UNKNOWN, HALF_CLOSED],
  ['its reset', '', NONE, UNKNOWN, { ...HALF_CLOSED, isReset: true }],
  ['no answer to a client that has given up', '', NONE, UNKNOWN, { end: 'abandoned' }],
  ['500', error(500, 'INTERNAL_SERVER_ERROR'), 'a fault of the service'],
  ['an unescaped line break', answer(400, '{"message":"x\n    at f (x:1:2)"}'), 'not in the form'],
  ['a file name', rejection('x at f (src/rest/routes.ts:1:2)'), LEAK],
  ['SQL', rejection('SELECT id FROM pets'), LEAK],
  ['a key', answer(200, `["asg_${'a'.repeat(49)}"]`), LEAK],
  ['a leak in 503', answer(503, `{"by":"pg_sleep",${OF_LOAD.slice(1)}`, LATER), LEAK],
  ['401 without a challenge', error(401, 'UNAUTHENTICATED'), '401 without a challenge'],
  ["a status other than the code's", NO.replace('400', '404'), 'not in the form'],
  ['503 without Retry-After', answer(503, OF_LOAD), '503 without Retry-After'],
  ['503 with another message', error(503, 'OVERLOADED', 'No', LATER), '503 in the form of neither'],
  ['400 for load', answer(400, OF_LOAD), 'refused for load, but not by 503'],
  ['two answers to one request', OK + OK, '2 answers to 1 requests'],
  ['two answers to one request, and a close', OK + OK, '2 answers to 1 requests', ONE, CLOSED],
  ['one answer to two requests', OK, '1 answers to 2 requests', TWO, CLOSED],
  ['a part of a body', OK.slice(0, -1), 'closed within an answer', UNKNOWN, CLOSED],
  ['a part of a head', OK.slice(0, 20), 'closed within an answer', ONE, CLOSED],
  ['a close without an answer', '', 'closed without an answer', UNKNOWN, CLOSED],
  ['a reset', OK, 'was reset', UNKNOWN, { ...CLOSED, isReset: true }],
  ['silence', '', 'no close within 10000 ms', UNKNOWN, { end: 'hung' }],
  ['invalid HTTP', 'HTTP/1.1 200\r\n\r\n', 'not HTTP'],
])('the oracle judges %s', (_what, text, fault, exchange = ONE, given = {}) => {
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
  ['an animal that may have been added', [ANIMAL, POSSIBLE], NONE],
  ["an attacker's animal", [ANIMAL, HOSTILE], NONE],
  ['a missing animal', [], '"nothing" is stored'],
  ['another name', [{ ...ANIMAL, name: 'Rex' }], 'was added'],
  ['another status', [{ ...ANIMAL, status: 'pending' }], 'was added'],
  ['an animal twice', [ANIMAL, { ...ANIMAL, id: '9' }], 'no client has added it'],
  ['an unknown animal', [ANIMAL, { ...HOSTILE, name: 'honest 3' }], 'no client has added it'],
  ['a possible animal twice', [ANIMAL, POSSIBLE, { ...POSSIBLE, id: '9' }], 'no client has added'],
  ['a refused animal', [ANIMAL, { ...HOSTILE, name: 'fuzz 1' }], 'was refused'],
  ['a hidden animal', [ANIMAL, { ...HOSTILE, name: `${FORBIDDEN} x` }], 'no client has asked for'],
])('the audit judges %s', (_what, stored, fault) => {
  const honest = { added: ADDED, unsure: new Set([POSSIBLE.name]) };
  expect(auditFaults(stored, honest, new Set(['fuzz 1'])).join('\n')).toMatch(fault);
});

const HONEST = { calls: 500, refusedForLoad: 10, added: ADDED };
const ROUND = { from: 1000, to: 2000, refusedForLoad: 30, slowest: { number: 1066 } };
const MEMORY = { heapBytes: 59e6, residentBytes: 590e6 };
const TIMES = {
  turnMilliseconds: 290,
  slowestCall: 2900,
  slowestExchange: 4900,
  longestHalt: 1900,
  round: 9900,
  stalled: 0.01,
};

test.each<[string, string | RegExp, object?]>([
  ['all within their limits', NONE],
  ['a large heap', 'of the heap', { heapBytes: 63e6 }],
  ['a heap that keeps growing', 'of the heap', { heapBytes: 81e6, to: 9000 }],
  ['much resident memory', 'resident', { residentBytes: 610e6 }],
  ['a long turn', 'one turn', { turnMilliseconds: 301 }],
  ['a halt', 'stood still: 2001', { longestHalt: 2001 }],
  ['a slow exchange', 'exchange 1066: 5001', { slowestExchange: 5001 }],
  ['many refusals for load', 'answers that refuse for load', { refusedForLoad: 31 }],
  ['a slow honest call', 'client waited: 3001', { slowestCall: 3001 }],
  ['refused honest calls', 'were refused', { honest: { ...HONEST, refusedForLoad: 16 } }],
  ['few honest calls', 'calls: 18; at least 19', { honest: { ...HONEST, calls: 18 } }],
  ['no honest addition', 'added nothing', { honest: { ...HONEST, added: new Map() } }],
])('the limits judge %s', (_what, fault, part) => {
  const all = { ...ROUND, ...MEMORY, ...TIMES, honest: HONEST, ...part };
  expect(limitFaults(all, all, all).join('\n')).toMatch(fault);
});

test.each([
  'HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 X\r\nContent-Length: 5\r\n\r\nabcde',
])('an answer is read when its last byte has come: %j', (text) => {
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
