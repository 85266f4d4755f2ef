import { Client } from 'pg';
import { expect, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { startGateway } from '../support/gateway.ts';

const { databaseUrl, request } = await startGateway();
const log = captureLog();

async function statusOf(path: string, requestId: string): Promise<number> {
  return (await request(path, { headers: { 'X-Request-Id': requestId } })).status;
}

/** Where a request's own line in the log says that its error is: under its own id, or another's. */
async function idOfError(requestId: string): Promise<string> {
  const line = await log.line(
    (text) => text.includes(`"requestId":"${requestId}"`) && text.includes('"durationMs"'),
  );
  return /"errorLoggedUnder":"([^"]+)"/.exec(line)?.[1] ?? requestId;
}

test.each([
  ['rest', '/v1/pets'],
  ['graphql', '/graphql?query={pets{categoryId}}'],
  ['batch', '/v1/pets/1'],
])(
  'every request that shares an unexpected error leads to it in the log: %s',
  async (name, path) => {
    const client = new Client(databaseUrl);
    await client.connect();
    // As after a change by hand.
    await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
    const ids = Array.from({ length: 20 }, (_, index) => `${name}-${index}:`);
    const statuses = await Promise.all(ids.map((id) => statusOf(path, id)));
    await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
    await client.end();
    expect(statuses).toEqual(ids.map(() => 500));

    const told: string[] = [];
    for (const id of ids) {
      told.push(await idOfError(id));
    }
    const errors = log
      .text()
      .split('\n')
      .filter((line) => line.includes('"level":50'));
    const unfound = told.filter(
      (id) => !errors.some((line) => line.includes(`"requestId":"${id}"`)),
    );
    expect(unfound).toEqual([]);
  },
);
