import { openDatabase } from '../support/store-database.ts';
import { openOwnTables } from '../support/own-tables.ts';
import { gateway } from '../../src/gateway.ts';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { deduplicatingClient } from '@store-gateway/data';
import { Pool } from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { emptyDatabase } from '../support/new-database.ts';

// Statements that the previous version executes (src/database/pets/insert-once.ts at d309487).
const INSERT_ONCE = `
    WITH asked AS MATERIALIZED (
      SELECT nextval('pets_id_seq') AS id, pet_name, category_id, status, key_id, name, number
      FROM unnest($1::text[], $2::bigint[], $3::pet_status[], $4::bigint[], $5::text[]) WITH ORDINALITY
        AS asked (pet_name, category_id, status, key_id, name, number)
    ), named AS (
      INSERT INTO idempotency_keys AS taken (key_id, name, pet_id, pet_name, category_id, status)
      SELECT DISTINCT ON (key_id, name) key_id, name, id, pet_name, category_id, status
      FROM asked ORDER BY key_id, name, number
      ON CONFLICT (key_id, name) DO UPDATE
        SET pet_id = excluded.pet_id, pet_name = excluded.pet_name, category_id = excluded.category_id,
          status = excluded.status, created_at = excluded.created_at
        WHERE taken.created_at < now() - interval '1 day'
      RETURNING pet_id
    ), inserted AS (
      INSERT INTO pets (id, name, category_id, status)
      SELECT id, pet_name, category_id, status FROM asked JOIN named ON named.pet_id = asked.id
      RETURNING id, name, category_id, status
    )
    SELECT asked.number, inserted.* FROM inserted JOIN asked USING (id)`;
const FIND_NAMED = `
    SELECT asked.number, pet_id AS id, pet_name AS name, category_id, status
    FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS asked (key_id, name, number)
    JOIN idempotency_keys USING (key_id, name)`;

interface Animal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: 'available' | 'sold';
}
interface OldRow extends Record<'id' | 'name' | 'category_id' | 'status', string> {}

const REUSED = 'reused';
const FIRST_MIGRATION = '20261122083000_idempotency_keys_of_any_model';
const { migrations: FOLDER } = gateway.prisma;
const migrations = (await readdir(FOLDER)).filter((name) => /^\d/.test(name)).toSorted();
const databaseUrl = await emptyDatabase();
const pool = new Pool({ connectionString: databaseUrl });
afterAll(() => pool.end());
const migrate = async (folders: readonly string[]) => {
  for (const folder of folders) {
    await pool.query(await readFile(new URL(`${folder}/migration.sql`, FOLDER), 'utf8'));
  }
};

await migrate(migrations.filter((name) => name < FIRST_MIGRATION));
const database = openDatabase(databaseUrl, { hasEarlierNames: true });
onFileFinished(() => database.$disconnect());
const tables = openOwnTables(databaseUrl, true);
await pool.query(`INSERT INTO api_keys (name, hash) VALUES ('caller', '')`);
const keyId = 1n;

async function byOld(key: string, { name, categoryId, status }: Animal): Promise<object> {
  const { rows } = await pool.query<OldRow>(INSERT_ONCE, [
    [name],
    [categoryId],
    [status],
    [keyId],
    [key],
  ]);
  const [row] =
    rows.length > 0 ? rows : (await pool.query<OldRow>(FIND_NAMED, [[keyId], [key]])).rows;
  if (row?.name !== name || row.category_id !== String(categoryId) || row.status !== status) {
    throw new Error(REUSED);
  }
  return { id: BigInt(row.id), name, categoryId, status };
}

const under = <Client extends object>(key: string, client: Client) =>
  deduplicatingClient(client, {
    nextKey: () => ({ keyId, name: key }),
    reusedError: () => new Error(REUSED),
    missingRowError: () => new Error('gone'),
  });
/** The columns that the previous version also has. */
const KNOWN = { id: true, name: true, categoryId: true, status: true } as const;

async function byNew(key: string, data: Animal): Promise<object> {
  const { id, name, categoryId, status } = await under(key, database).pet.create({ data });
  return { id, name, categoryId, status };
}

const REX: Animal = { name: 'Rex', categoryId: 2n ** 63n - 1n, status: 'sold' };
const OTHERS: Animal[] = [
  { ...REX, name: 'Ida' },
  { ...REX, categoryId: 2n ** 63n - 2n },
  { ...REX, status: 'available' },
];
const age = (key: string) =>
  pool.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 h' WHERE name = $1`, [
    key,
  ]);

// More keys than the migration fills in one transaction.
const before = Array.from({ length: 1100 }, (_, index) => `before ${index}`);
await Promise.all(before.map((key) => byOld(key, { ...REX, name: key })));
const during = before.map((key) => key.replace('before', 'during'));
await Promise.all([
  migrate(migrations.filter((name) => name >= FIRST_MIGRATION)),
  // While the migration fills the keys, existing keys are reused and new keys are claimed.
  ...[...before, ...during].map((key) => byOld(key, { ...REX, name: key })),
]);

beforeEach(() => pool.query('DELETE FROM pets'));

test('idempotency keys that were claimed before or during the migration are kept', async () => {
  for (const create of [byNew, byOld]) {
    const again = [...before, ...during].map((key) => create(key, { ...REX, name: key }));
    expect(await Promise.all(again)).toHaveLength(2200);
    await expect(create('before 1', REX)).rejects.toThrow(REUSED);
  }
  expect(await database.pet.count()).toBe(0);
  const { rows } = await pool.query('SELECT FROM idempotency_keys WHERE "row" IS NULL');
  expect(rows).toEqual([]);
});

const FIRST = [
  { first: 'old', create: byOld },
  { first: 'new', create: byNew },
];
const LATER = [
  { later: 'old', repeat: byOld },
  { later: 'new', repeat: byNew },
];

test.each(FIRST.flatMap((first) => LATER.map((later) => Object.assign({}, first, later))))(
  '$first, then $later version: a repeated create adds one row, different data is rejected, and an expired key is free',
  async ({ create, repeat }) => {
    const key = randomUUID();
    const created = await create(key, REX);
    expect(await repeat(key, REX)).toEqual(created);
    for (const other of OTHERS) {
      await expect(repeat(key, other)).rejects.toThrow(REUSED);
    }
    expect(await database.pet.findMany({ select: KNOWN })).toEqual([created]);
    await age(key);
    const taken = await repeat(key, { ...REX, name: 'Ida' });
    for (const again of [byOld, byNew]) {
      expect(await again(key, { ...REX, name: 'Ida' })).toEqual(taken);
      await expect(again(key, REX)).rejects.toThrow(REUSED);
    }
    expect(await database.pet.count()).toBe(2);
  },
);

test('concurrent creates by both versions with the same key add one row, which all of them return', async () => {
  const keys = Array.from({ length: 5 }, () => randomUUID());
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      (index % 2 === 0 ? byOld : byNew)(keys[index % 5] ?? '', REX),
    ),
  );
  expect(new Set(answers.map((answer) => String(Reflect.get(answer, 'id')))).size).toBe(5);
  expect(await database.pet.count()).toBe(5);
});

test('a key that was used for a different model is rejected by both versions until it expires', async () => {
  const key = randomUUID();
  const data = { hash: key, document: '{ pets { id } }' };
  const document = await under(key, tables).trustedDocument.create({ data });
  for (const create of [byOld, byNew]) {
    await expect(create(key, REX)).rejects.toThrow(REUSED);
  }
  expect(await under(key, tables).trustedDocument.create({ data })).toEqual(document);
  await age(key);
  const animal = await byOld(key, REX);
  expect(await byNew(key, REX)).toEqual(animal);
  await expect(under(key, tables).trustedDocument.create({ data })).rejects.toThrow(REUSED);
  await age(key);
  await under(key, tables).trustedDocument.create({ data: { ...data, hash: `${key} again` } });
  await expect(byOld(key, REX)).rejects.toThrow(REUSED);
});
