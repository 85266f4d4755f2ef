import { Client } from 'pg';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService } from '../support/service.ts';

const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const service = await startService({ DATABASE_URL: databaseUrl });
afterAll(() => service[Symbol.asyncDispose]());
const key = await firstKey(service);

async function statusOf(path: string, requestId: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': requestId };
  const answer = await fetch(service.url + path, { headers });
  await answer.text();
  return answer.status;
}

/** Where a request's own line in the log says that its error is: under its own id, or another's. */
async function idOfError(requestId: string): Promise<string> {
  const line = await service.child.line(
    'stdout',
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
    const errors = service.child
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":50'));
    const unfound = told.filter(
      (id) => !errors.some((line) => line.includes(`"requestId":"${id}"`)),
    );
    expect(unfound).toEqual([]);
  },
);
