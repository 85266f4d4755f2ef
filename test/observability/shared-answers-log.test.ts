import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService } from '../support/service.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startService({ DATABASE_URL: databaseUrl });
const key = await firstKey(service);

/** Sends 30 requests at once, each under an id of its own, and tells the line of each in the log. */
async function linesOf(path: string, authorization: string) {
  const ids = Array.from(
    { length: 30 },
    (_, index) => `${path.length}-${authorization.length}-${index}`,
  );
  await Promise.all(
    ids.map(async (id) => {
      const headers = { Authorization: authorization, 'X-Request-Id': id };
      const answer = await fetch(service.url + path, { headers });
      await answer.arrayBuffer();
      expect(answer.headers.get('X-Request-Id')).toBe(id);
    }),
  );
  const lines: unknown[][] = [];
  for (const id of ids) {
    const isOfRequest = (line: string) => line.includes(`"requestId":"${id}"`);
    await service.child.line('stdout', isOfRequest);
    const output = service.child.stdout().split('\n');
    lines.push(output.filter(isOfRequest).map((line): unknown => JSON.parse(line)));
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
