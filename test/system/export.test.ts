import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, inject, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import { earlierDatabase } from '../support/earlier-database.ts';
import { requestOf } from '../support/gateway.ts';
import { runEntry } from '../support/process.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { keys } from '../support/store-commands.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Runs a script by psql, which says nothing when all is well. */
async function restore(script: string, databaseUrl: string) {
  const options = ['--quiet', '--no-psqlrc', '--output', '/dev/null', databaseUrl];
  const psql = spawn('psql', options, { stdio: ['pipe', 'ignore', 'pipe'] });
  let complaints = '';
  psql.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  // It may have ended before it has read all.
  psql.stdin.on('error', () => undefined).end(script);
  await once(psql, 'close');
  return [psql.exitCode, complaints];
}

test('psql restores the export of an embedded store that runs, and a service goes on with it', async () => {
  await using data = await temporaryDirectory();
  const embedded = { DATA_DIR: data.path };
  await using from = await startPatientService(embedded);
  const key = await firstKey(from);
  const post = async (url: string, name: string, more = {}) =>
    requestOf(url, key)('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...more },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
  const named = { 'Idempotency-Key': 'once' };
  const first = await post(from.url, 'Tab\t, "quote\\", \n line and 🐈');
  const second = await post(from.url, 'Ida', named);
  expect([first.status, second.status]).toEqual([201, 201]);

  await using child = runEntry('src/main.ts export', { env: embedded });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const DATABASE_URL = await createDatabase(inject('postgresUrl'));
  expect(await restore(child.stdout(), DATABASE_URL)).toEqual([0, '']);

  await using to = await startPatientService({ DATABASE_URL });
  const list = (url: string) => requestOf(url, key)('/v1/pets');
  expect((await list(to.url)).text).toBe((await list(from.url)).text);
  // The secret in it was exported, too.
  const tagOf = async (url: string) =>
    (await requestOf(url, key)('/v1/pets/1')).headers.get('ETag');
  expect(await tagOf(to.url)).toBe(await tagOf(from.url));
  expect((await post(to.url, 'Next')).text).toContain('"id":3,');
  expect((await post(to.url, 'Ida', named)).text).toBe(second.text);
});

test('an export that is restored into a database with tables changes nothing', async () => {
  const DATABASE_URL = await createDatabase(inject('postgresUrl'));
  await using child = runEntry('src/main.ts migrate', { env: { DATABASE_URL } });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  await using exported = runEntry('src/main.ts export', { env: { DATABASE_URL } });
  expect(await exported.exit).toEqual({ code: 0, signal: null });
  expect(await restore(exported.stdout(), DATABASE_URL)).toEqual([
    3,
    expect.stringContaining('has tables already: restore into an empty database'),
  ]);
});

test('the export of a database of an earlier version has the names of its tables, and a service goes on with it', async () => {
  const { url, client } = await earlierDatabase();
  await using from = await startPatientService({ DATABASE_URL: url });
  const created = await runInProcess(keys, ['create', 'shop'], { env: { DATABASE_URL: url } });
  await client.query(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')`);
  await using child = runEntry('src/main.ts export', { env: { DATABASE_URL: url } });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const DATABASE_URL = await createDatabase(inject('postgresUrl'));
  expect(await restore(child.stdout(), DATABASE_URL)).toEqual([0, '']);

  await using to = await startPatientService({ DATABASE_URL });
  const list = (of: string) => requestOf(of, created.stdout.trim())('/v1/pets');
  expect((await list(to.url)).text).toContain('"name":"Rex"');
  expect((await list(to.url)).text).toBe((await list(from.url)).text);
});
