import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/http-answers.ts';

const { url, key } = await startGateway();

/** The length of a header value that fits into a request, in bytes. */
const LONG = 15_000;
const SHORT = LONG / 10;
const METHODS = Array.from({ length: 30 }, () => 'GET');

/**
 * Returns the CPU time in milliseconds to reject a value many times. Unlike elapsed time, it does not depend on the
 * machine's load.
 */
async function refusalTime(value: string): Promise<number> {
  const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${value}\r\n\r\n`;
  const before = process.cpuUsage();
  const answers = await sendBytes(url, request.repeat(METHODS.length), METHODS);
  expect(answers.map(({ status }) => status)).toEqual(METHODS.map(() => 401));
  return process.cpuUsage(before).user / 1000;
}

test.each<[string, (length: number) => string]>([
  ['spaces and no key', (length) => `Bearer${' '.repeat(length)}x`],
  ['spaces inside the key', (length) => `Bearer x${' '.repeat(length)}x`],
  ['tabs', (length) => `Bearer \t${'\t'.repeat(length)}x`],
  ['letters', (length) => `Bearer ${'a'.repeat(length)}`],
  ['repetitions of a key', (length) => `Bearer ${key.repeat(length / 60)}`],
  ['repetitions of the scheme', (length) => 'Bearer '.repeat(length / 7)],
  ['commas', (length) => `Bearer ${','.repeat(length)}`],
])(
  'the time to reject an Authorization header with very many %s is linear in its length',
  async (_what, value) => {
    // The first execution of code takes longer.
    await refusalTime(value(SHORT));
    const short = await refusalTime(value(SHORT));
    // Quadratic work would take a hundred times as long, 5 s. The constant allows for the process's other work.
    expect(await refusalTime(value(LONG))).toBeLessThan(10 * short + 1000);
  },
);
