import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';

const { key, request } = await startGateway();
const log = captureLog();

/** Sends 30 requests at once, each under an id of its own, and tells the line of each in the log. */
async function linesOf(path: string, authorization: string) {
  const ids = Array.from(
    { length: 30 },
    (_, index) => `${path.length}-${authorization.length}-${index}`,
  );
  await Promise.all(
    ids.map(async (id) => {
      const headers = { Authorization: authorization, 'X-Request-Id': id };
      const answer = await request(path, { headers });
      expect(answer.headers.get('X-Request-Id')).toBe(id);
    }),
  );
  const lines: unknown[][] = [];
  for (const id of ids) {
    const isOfRequest = (line: string) => line.includes(`"requestId":"${id}"`);
    await log.line(isOfRequest);
    const output = log.text().split('\n');
    // Some wait for their turn, and say so.
    lines.push(
      output
        .filter(isOfRequest)
        .map((line): unknown => JSON.parse(line.replace(/"waitedMs":[\d.]+,/, ''))),
    );
  }
  return { ids, lines };
}

test.each([
  { path: '/v1/pets', status: 200, keyId: '1' },
  { path: '/v1/pets?limit=0', status: 400, keyId: '1' },
  { path: '/v1/pets', status: 401, keyId: undefined },
])(
  'identical requests of $path, answered with $status, have a line each',
  async ({ path, status, keyId }) => {
    const { ids, lines } = await linesOf(path, keyId === undefined ? 'Bearer no' : `Bearer ${key}`);
    const number: unknown = expect.any(Number);
    const known = {
      level: 30,
      time: number,
      method: 'GET',
      path: '/v1/pets',
      status,
      durationMs: number,
      msg: 'request',
    };
    expect(lines).toEqual(
      ids.map((requestId) => [{ ...known, requestId, ...(keyId === undefined ? {} : { keyId }) }]),
    );
  },
);
