import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/http-answers.ts';

const { url, key } = await startGateway();

/** Bytes of a header's value that fit into a request. */
const LONG = 15_000;
const SHORT = LONG / 10;
const METHODS = Array.from({ length: 30 }, () => 'GET');

/** Milliseconds of CPU time to reject a value many times, which a busy machine doesn't increase. */
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
])(
  'the time to reject an Authorization of very many %s is linear in its length',
  async (_what, value) => {
    // Code that runs for the first time takes longer.
    await refusalTime(value(SHORT));
    const short = await refusalTime(value(SHORT));
    // Quadratic work would take a hundred times as much, 5 s. If there is next to none, other work of the process counts.
    expect(await refusalTime(value(LONG))).toBeLessThan(10 * short + 1000);
  },
);
