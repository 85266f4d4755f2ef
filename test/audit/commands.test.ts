import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { Command } from '@store-gateway/ops/command-line';
import { auditCommand } from '../../packages/gateway/src/commands/audit.ts';
import { onDatabase, type Action, startGateway } from '@store-gateway/gateway';
import type { PrismaClient } from '../../prisma/generated/client.ts';
import { UNNOTED, auditedApi } from '../support/audited-animals.ts';
import { runInProcess } from '../support/command.ts';
import { newDatabase } from '../support/new-database.ts';
import { gateway as animals } from '../../src/gateway.ts';

const audited = { ...animals, load: () => Promise.resolve(auditedApi) };

const REX = { name: 'Rex', categoryId: 1n, status: 'available' } as const;

/** Runs a store-specific command. */
function runAction(DATABASE_URL: string, action: Action<PrismaClient>) {
  const command: Command = {
    name: 'backfill',
    help: '',
    options: {},
    read: () => onDatabase(audited, action, { purpose: 'backfill', mayMakeStore: false }),
  };
  return runInProcess(command, [], { env: { DATABASE_URL } });
}

/** Returns the lines that `npm run audit` prints, without times. */
async function listed(DATABASE_URL: string): Promise<string[]> {
  const { stdout } = await runInProcess(await auditCommand(audited), [], { env: { DATABASE_URL } });
  return stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) =>
      line
        .trimEnd()
        .replace(/^\S+\s+/, '')
        .replaceAll(/\s{2,}/g, ' | '),
    );
}

test('a command’s changes to audited rows are recorded with the command as caller', async () => {
  const url = await newDatabase();
  const { code } = await runAction(url, async (database) => {
    const { id } = await database.pet.create({ data: REX });
    await database.pet.update({ where: { id }, data: { name: 'Ida' } });
    return '';
  });
  expect(code).toBe(0);
  expect(await listed(url)).toEqual([
    'command:backfill | (no API key) | create | Pet | 1',
    'command:backfill | (no API key) | update | Pet | 1',
  ]);
});

/** Returns the writes in `UNNOTED` that a client does not reject. */
async function allowedBy(database: PrismaClient): Promise<string[]> {
  const allowed: string[] = [];
  for (const [how, write] of Object.entries(UNNOTED)) {
    const attempt = async () => write(database);
    await attempt().then(
      () => allowed.push(how),
      (error: unknown) => {
        expect(error).toBeInstanceOf(TypeError);
      },
    );
  }
  return allowed;
}

test('the database clients of commands and of a started gateway reject changes that cannot be recorded', async () => {
  const url = await newDatabase();
  const { stdout } = await runAction(url, async (database) => {
    await database.pet.create({ data: REX });
    return `allowed: ${(await allowedBy(database)).join()}`;
  });
  expect(stdout).toBe('allowed: ');
  await using started = await startGateway(audited, { DATABASE_URL: url });
  expect(await allowedBy(started.database)).toEqual([]);
  expect(await started.database.pet.findMany()).toMatchObject([{ id: 1n, ...REX }]);
});

test('a command can bypass the audit log, which then records the reason', async () => {
  const url = await newDatabase();
  await runAction(url, async (_database, { unauditedDatabase }) => {
    const database = await unauditedDatabase('names of 2025');
    await database.pet.createMany({ data: [REX, REX] });
    return '';
  });
  expect(await listed(url)).toEqual([
    'command:backfill | (no API key) | names of 2025 | unaudited | * | *',
  ]);
});

test.each(['CASCADE', 'SET NULL'])(
  'a model whose rows the database changes by ON DELETE %s cannot be audited',
  async (action) => {
    const DATABASE_URL = await newDatabase();
    const client = new Client(DATABASE_URL);
    await client.connect();
    // The name sorts before all constraints that the store has.
    await client.query(
      `CREATE TABLE shops (id bigint PRIMARY KEY);
     ALTER TABLE pets ADD CONSTRAINT a_shop FOREIGN KEY (category_id) REFERENCES shops ON DELETE ${action}`,
    );
    await client.end();
    await expect(startGateway(audited, { DATABASE_URL })).rejects.toThrow(
      'Pet has audit: true, but the database itself changes its rows when rows of shops are deleted: set onDelete: Restrict on the relation of a_shop, or remove audit: true',
    );
  },
);

test('a model that the gateway has no SQL statements for cannot be audited', async () => {
  const DATABASE_URL = await newDatabase();
  const models = Object.fromEntries(
    Object.values(animals.prisma.models).map((model) => [`Other${model.name}`, model]),
  );
  await expect(
    startGateway({ ...audited, prisma: { ...animals.prisma, models } }, { DATABASE_URL }),
  ).rejects.toThrow("Pet can't have audit: true");
});
