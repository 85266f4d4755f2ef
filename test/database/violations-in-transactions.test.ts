import { expect, test } from 'vitest';
import { openDatabase } from '../../src/database/client.ts';
import { violationIn } from '../../src/schema/violations.ts';
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
  return violationIn(error, { database: of });
}

test('a constraint that is checked at the commit is told by its columns', async () => {
  const data = { name: 'x', categoryId: 404n, status: 'sold' } as const;
  const violation = await said(database.$transaction(({ pet }) => pet.create({ data })));
  expect(violation).toMatchObject({ kind: 'reference' });
  expect(violation?.fields).toContain('categoryId');
});

test('what others refer to is another matter than a reference to nothing', async () => {
  const violation = await said(database.$executeRaw`DELETE FROM kinds`);
  expect(violation).toEqual({ kind: 'referred', fields: [] });
});

test('a transaction that finds no database is SERVICE_UNAVAILABLE', async () => {
  const lost = openDatabase('postgresql://nobody:no@127.0.0.1:1/nowhere');
  const call = lost.$transaction(({ pet }) => pet.count());
  await expect(said(call, lost)).rejects.toMatchObject({
    extensions: { code: 'SERVICE_UNAVAILABLE' },
  });
  await lost.$disconnect();
});
