import { expect, test, vi } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

// Elsewhere than in tests Express itself writes errors that nobody handles to stderr.
vi.stubEnv('NODE_ENV', 'production');
const { key, url } = await startGateway();
vi.unstubAllEnvs();
const log = captureLog();
const KEY = `Authorization: Bearer ${key}`;

/** All lines of the log about the only answer to these bytes, under whose id they are. */
async function linesAbout(bytes: string): Promise<unknown[]> {
  const connection = await rawConnection(url);
  connection.send(bytes);
  const answers = await connection.last();
  expect(answers).toHaveLength(1);
  const requestId = answers[0]?.headers.get('x-request-id') ?? '';
  const isOfRequest = (line: string) => line.includes(requestId);
  await log.line(isOfRequest);
  // Once another has been answered, no line of this one is to come.
  await fetch(`${url}/nowhere`, { headers: { 'X-Request-Id': `after-${requestId}` } });
  await log.line((line) => line.includes(`after-${requestId}`));
  const output = log.text();
  expect(output).not.toContain(key);
  const lines = output.split('\n').filter((line) => line.includes(`"requestId":"${requestId}"`));
  return lines.map((line): unknown => JSON.parse(line));
}

test.each([
  ['a header without a colon', head('GET /v1/pets', KEY, key), 400, 'HPE_INVALID_HEADER_TOKEN'],
  ['a key of 16 KiB', head('GET /v1/pets', KEY.padEnd(20_000, 'a')), 431, 'HPE_HEADER_OVERFLOW'],
])(
  '%s is one line, which tells what is wrong and nothing else',
  async (_what, bytes, status, fault) => {
    expect(await linesAbout(bytes)).toEqual([
      {
        level: 30,
        time: expect.any(Number) as unknown,
        requestId: expect.any(String) as unknown,
        status,
        fault,
        msg: 'request',
      },
    ]);
  },
);

test('CONNECT is one line', async () => {
  expect(await linesAbout(head(`CONNECT ${key}:443`, KEY))).toMatchObject([
    { status: 405, method: 'CONNECT', msg: 'request' },
  ]);
});

test('a fault in a body is in the one line of its request, and is nothing for an operator', async () => {
  const stderr = vi.spyOn(console, 'error');
  const headers = [KEY, 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  const lines = await linesAbout(`${head('POST /v1/pets', ...headers)}1\r\n{\r\nno size`);
  expect(lines).toMatchObject([
    { level: 30, method: 'POST', path: '/v1/pets', status: 400, msg: 'request' },
  ]);
  expect(stderr).not.toHaveBeenCalled();
});
