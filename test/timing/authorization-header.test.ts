import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/wire.ts';

const { url, key } = await startGateway();

/** Bytes that a header's value may have, with all others of a request. */
const LONG = 15_000;
const SHORT = LONG / 10;
const METHODS = Array.from({ length: 30 }, () => 'GET');

/** Milliseconds of a processor that it takes to refuse a value many times: a busy machine doesn't make more of them. */
async function refusalTime(value: string): Promise<number> {
  const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${value}\r\n\r\n`;
  const before = process.cpuUsage();
  const answers = await sendBytes(url, request.repeat(METHODS.length), METHODS);
  expect(answers.map(({ status }) => status)).toEqual(METHODS.map(() => 401));
  return process.cpuUsage(before).user / 1000;
}

test.each<[string, (length: number) => string]>([
  ['spaces, and no key', (length) => `Bearer${' '.repeat(length)}x`],
  ['spaces within', (length) => `Bearer x${' '.repeat(length)}x`],
  ['tabs', (length) => `Bearer \t${'\t'.repeat(length)}x`],
  ['letters', (length) => `Bearer ${'a'.repeat(length)}`],
  ['a key again and again', (length) => `Bearer ${key.repeat(length / 60)}`],
  ['the beginning of a scheme', (length) => 'Bearer '.repeat(length / 7)],
  ['commas', (length) => `Bearer ${','.repeat(length)}`],
])('to refuse a value of very many %s takes no more than its length does', async (_what, value) => {
  // What is executed for the first time takes longer.
  await refusalTime(value(SHORT));
  const short = await refusalTime(value(SHORT));
  // Work that grows with the square of the length would be a hundred times as much, 5 s; where there is next to none, what
  // else the process does shows.
  expect(await refusalTime(value(LONG))).toBeLessThan(10 * short + 1000);
});
