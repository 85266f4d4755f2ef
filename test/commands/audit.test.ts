import { expect, test } from 'vitest';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import { createKey } from '../support/keys.ts';
import { gateway as animals } from '../../src/gateway.ts';
import { auditedApi, startAuditedAnimals } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { idIn, sendNamed } from '../support/named-request.ts';
import { audit as auditOfAnimals } from '../support/store-commands.ts';
import { newDatabase } from '../support/new-database.ts';

const audit = await auditCommand({ ...animals, load: () => Promise.resolve(auditedApi) });
const gateway = await startAuditedAnimals();
const { database, databaseUrl } = gateway;
const run = (...args: string[]) =>
  runInProcess(audit, args, { env: { DATABASE_URL: databaseUrl } });

/** Adds an animal and returns its id. */
async function add(apiKey: string): Promise<string> {
  return idIn(await sendNamed(gateway, { apiKey, body: '{"name":"Rex"}' }));
}

const { key: other } = await createKey(database, { name: 'shop\u001B[2J' });
const [first, second] = [await add(gateway.key), await add(other)];
await gateway.send('PATCH', `/v1/pets/${first}`, { name: 'Ida' });
await database.$executeRaw`
  INSERT INTO _gateway_audit_log (at, caller, operation, change, model, row_id, request_id)
  VALUES (now() - interval '2 hours', 'user:ann', 'sellPet', 'update', 'Pet', ${second}, 'r')`;

/** Runs audit. Returns the operation, change, row, caller and key name of each line. */
async function listed(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, '']);
  const [, ...lines] = stdout.trimEnd().split('\n');
  return lines.map((line) => {
    const [, caller, name, operation, change, type, id] = line.split(/ {2,}/);
    return `${operation}: ${change} ${type} ${id} by ${caller} ${name}`;
  });
}

const CREATED = `createPet: create Pet ${first} by 1 test`;
const OTHER = String.raw`createPet: create Pet ${second} by 2 shop\u{1b}[2J`;
const UPDATED = `updatePet: update Pet ${first} by 1 test`;
const SOLD = `sellPet: update Pet ${second} by user:ann (no API key)`;

test('npm run audit lists all changes in chronological order with the names of API keys', async () => {
  expect(await listed()).toEqual([SOLD, CREATED, OTHER, UPDATED]);
  expect((await run()).stdout).toMatch(
    /^AT +CALLER +NAME +OPERATION +CHANGE +TYPE +ID +REQUEST\n\d{4}-\d\d-\d\dT[\d:.]+Z {2}user:ann/,
  );
});

test.each([
  ['--since 1h', [CREATED, OTHER, UPDATED]],
  ['--since 1d', [SOLD, CREATED, OTHER, UPDATED]],
  ['--by 2', [OTHER]],
  ['--by user:ann', [SOLD]],
  ['--by 3', []],
  [`--pet ${first}`, [CREATED, UPDATED]],
  [`--pet ${first} --limit 1`, [UPDATED]],
  [`--pet ${second} --since 1h --by 2`, [OTHER]],
  [`--pet=${first}\u00A0`, []],
])('npm run audit -- %s lists the changes that match', async (args, expected) => {
  expect(await listed(...args.split(' '))).toEqual(expected);
});

test('npm run audit -- --help names the options for audited types, or says that there are none', async () => {
  expect((await run('--help')).stdout).toContain('[--by CALLER] [--pet ID] [--limit NUMBER]');
  const DATABASE_URL = await newDatabase();
  const none = (...args: string[]) => runInProcess(auditOfAnimals, args, { env: { DATABASE_URL } });
  expect((await none('--help')).stdout).toContain('No type of this store has audit: true');
  expect(await none('--pet', '42')).toMatchObject({ code: 2 });
  expect(await none()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^AT.*\n$/) as unknown,
  });
});
