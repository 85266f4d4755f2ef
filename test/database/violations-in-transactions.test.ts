import { openDatabase } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { PetStatus } from '../../prisma/generated/enums.ts';
import { violationIn } from '../../packages/gateway/src/schema/builder-options.ts';
import { startGateway } from '../support/gateway.ts';

const { database } = await startGateway();
await database.$executeRawUnsafe('CREATE TABLE kinds (id bigint PRIMARY KEY)');
await database.$executeRawUnsafe('INSERT INTO kinds VALUES (1)');
await database.$executeRawUnsafe(`ALTER TABLE pets ADD CONSTRAINT of_a_kind FOREIGN KEY (category_id)
  REFERENCES kinds DEFERRABLE INITIALLY DEFERRED`);
await database.pet.create({ data: { name: 'Rex', categoryId: 1n, status: 'sold' } });

/** What a failed call says to a resolver's caller. */
async function said(call: Promise<unknown>, of = database) {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return violationIn(error, { violatedFields: of.$violatedFields });
}

test('a constraint that is checked at the commit is told by its columns', async () => {
  const data = { name: 'x', categoryId: 404n, status: 'sold' } as const;
  const violation = await said(database.$transaction(({ pet }) => pet.create({ data })));
  expect(violation).toMatchObject({ kind: 'reference' });
  expect(violation?.fields).toContain('categoryId');
});

test('what others refer to is told by who holds the reference', async () => {
  const violation = await said(database.$executeRaw`DELETE FROM kinds`);
  expect(violation).toMatchObject({ kind: 'reference', holders: ['Pet'] });
});

test('a transaction that finds no database is SERVICE_UNAVAILABLE', async () => {
  const lost = openDatabase('postgresql://nobody:no@127.0.0.1:1/nowhere');
  const call = lost.$transaction(({ pet }) => pet.count());
  await expect(said(call, lost)).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  await lost.$disconnect();
});

const NEW = { name: 'contended', categoryId: 1n, status: PetStatus.sold };

test.each<[string, (data: typeof NEW) => Promise<unknown>]>([
  ['an interactive one', (data) => database.$transaction(({ pet }) => pet.create({ data }))],
  ['one of a list', (data) => database.$transaction([database.pet.create({ data })])],
])('a transaction that loses to others is run three times: %s', async (_what, create) => {
  await database.$executeRawUnsafe('CREATE SEQUENCE IF NOT EXISTS attempts');
  await database.$executeRawUnsafe('ALTER SEQUENCE attempts RESTART');
  // A sequence goes on, whatever becomes of the transaction.
  await database.$executeRawUnsafe(`
    CREATE OR REPLACE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempts') % 3 <> 0 OR NEW.name = 'never' THEN
        RAISE EXCEPTION USING ERRCODE = CASE NEW.name WHEN 'deadlock' THEN '40P01' ELSE '40001' END;
      END IF;
      RETURN NEW;
    END $$`);
  await database.$executeRawUnsafe(
    'CREATE OR REPLACE TRIGGER lose BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION lose()',
  );
  await create(NEW);
  await create({ ...NEW, name: 'deadlock' });
  await expect(create({ ...NEW, name: 'never' })).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  const [attempts] = await database.$queryRaw<unknown[]>`SELECT last_value FROM attempts`;
  expect(attempts).toEqual({ last_value: 9n });
  await database.$executeRawUnsafe('DROP TRIGGER lose ON pets');
  expect(
    await database.pet.deleteMany({ where: { name: { in: ['contended', 'deadlock'] } } }),
  ).toEqual({
    count: 2,
  });
});
