import { describe, expect, test } from 'vitest';
import { exchangeFromJson, exchangeToJson } from './exchange-json.ts';
import type { Exchange } from './exchange.ts';
import { readAnswers } from '../support/http-answers.ts';

const EXCHANGE: Exchange = {
  kind: 'a test',
  bytes: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  cuts: [3],
  end: 'wait',
  methods: ['GET'],
  tag: 'fuzz 1',
};

describe('an exchange', () => {
  test('is read back from a line of ASCII as it was written', () => {
    const { methods: _none, ...unknown } = EXCHANGE;
    for (const exchange of [
      EXCHANGE,
      { ...unknown, methods: undefined, bytes: Buffer.from([0, 255, 13]) },
    ]) {
      const line = exchangeToJson(exchange);
      expect(line).toMatch(/^[ -~]+$/);
      expect(exchangeFromJson(line)).toEqual(exchange);
    }
  });

  test.each([
    'null',
    '{}',
    ...['"cuts":["a"]', '"methods":"GET"', '"methods":[1]', '"end":"never"', '"bytes":1'].map(
      (member) => `${exchangeToJson(EXCHANGE).slice(0, -1)},${member}}`,
    ),
  ])('%s is none', (json) => {
    expect(() => exchangeFromJson(json)).toThrow('not an exchange');
  });
});

describe('the answers on a connection', () => {
  const CHUNKED =
    'HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n';
  const OK = 'HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\n[]';
  const [whole] = readAnswers(Buffer.from(CHUNKED), () => false, false).answers;

  test('are read in chunks, behind interim ones, and one behind the other', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}${OK}`;
    const { answers, fault, needed } = readAnswers(Buffer.from(text), () => false, false);
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([
      [201, 'abcde'],
      [200, '[]'],
    ]);
    expect([fault, needed]).toEqual([undefined, 0]);
  });

  test('are not there until the last byte is', () => {
    for (const text of [CHUNKED, OK]) {
      for (let length = 1; length < text.length; length += 1) {
        const { answers, fault, needed } = readAnswers(
          Buffer.from(text.slice(0, length)),
          () => false,
          false,
        );
        expect([answers, fault]).toEqual([[], undefined]);
        expect(needed).toBeGreaterThan(length);
        expect(needed).toBeLessThanOrEqual(text.length);
      }
    }
    expect(whole?.body.toString()).toBe('abcde');
  });
});
