import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { emptyDatabase, newDatabase } from '../support/new-database.ts';
import { earlierDatabase } from '../support/migrating.ts';
import { post } from '../support/stores.ts';
import { requestOf } from '../support/gateway.ts';
import { runEntry } from '../support/process.ts';
import { firstKey, startPatientService, type Service } from '../support/service.ts';
import { keys } from '../support/store-commands.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Runs a script with psql, which prints nothing on success. */
async function restore(script: string, databaseUrl: string) {
  const options = ['--quiet', '--no-psqlrc', '--output', '/dev/null', databaseUrl];
  const psql = spawn('psql', options, { stdio: ['pipe', 'ignore', 'pipe'] });
  let complaints = '';
  psql.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // psql may exit before it has read everything.
  psql.stdin.on('error', () => undefined).end(script);
  await once(psql, 'close');
  return [psql.exitCode, complaints];
}

/** Exports a database. @returns a script for psql */
async function exportOf(env: NodeJS.ProcessEnv): Promise<string> {
  await using child = runEntry('src/main.ts export', { env });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  return child.stdout();
}

/** Starts a service on a restored export. */
async function startRestored(script: string) {
  const DATABASE_URL = await emptyDatabase();
  expect(await restore(script, DATABASE_URL)).toEqual([0, '']);
  return startPatientService({ DATABASE_URL });
}

test('psql restores the export of a running embedded store, and a service continues with it', async () => {
  await using data = await temporaryDirectory();
  const embedded = { DATA_DIR: data.path };
  await using from = await startPatientService(embedded);
  const key = await firstKey(from);
  const create = async ({ url }: Service, name: string, headers = {}) =>
    post({ request: requestOf(url, key) }, '/v1/pets', { name, categoryId: 1 }, headers);
  const named = { 'Idempotency-Key': 'once' };
  const first = await create(from, 'Tab\t, "quote\\", \n line and 🐈');
  const second = await create(from, 'Ida', named);
  expect([first.status, second.status]).toEqual([201, 201]);

  await using to = await startRestored(await exportOf(embedded));
  const get = async ({ url }: Service, path: string) => {
    const { text, headers } = await requestOf(url, key)(path);
    return { text, tag: headers.get('ETag') };
  };
  // The entity tag is the same, because the secret it is derived from was exported, too.
  for (const path of ['/v1/pets', '/v1/pets/1']) {
    expect(await get(to, path)).toEqual(await get(from, path));
  }
  expect((await create(to, 'Next')).text).toContain('"id":3,');
  expect((await create(to, 'Ida', named)).text).toBe(second.text);
});

test('an export cannot be restored into a database that has tables', async () => {
  const DATABASE_URL = await newDatabase();
  expect(await restore(await exportOf({ DATABASE_URL }), DATABASE_URL)).toEqual([
    3,
    expect.stringContaining('has tables already: restore into an empty database'),
  ]);
});

test("an earlier version's export is restored with its own table names, and a service continues with it", async () => {
  const { url, client } = await earlierDatabase();
  await using from = await startPatientService({ DATABASE_URL: url });
  const created = await runInProcess(keys, ['create', 'shop'], { env: { DATABASE_URL: url } });
  await client.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')`);
  await using to = await startRestored(await exportOf({ DATABASE_URL: url }));
  const list = (of: Service) => requestOf(of.url, created.stdout.trim())('/v1/pets');
  expect((await list(to)).text).toContain('"name":"Rex"');
  expect((await list(to)).text).toBe((await list(from)).text);
});
