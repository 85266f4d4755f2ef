import { Client } from 'pg';
import { expect, inject, test } from 'vitest';
import { startGateway } from '@store-gateway/gateway';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { auditedApi } from '../support/audited-animals.ts';
import { gateway as animals } from '../../src/gateway.ts';

const audited = { ...animals, load: () => Promise.resolve(auditedApi) };

test.each(['CASCADE', 'SET NULL'])(
  'rows that the database changes itself, ON DELETE %s, can not be audited',
  async (action) => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
    const client = new Client(DATABASE_URL);
    await client.connect();
    // By its name it comes before any that the store has.
    await client.query(
      `CREATE TABLE shops (id bigint PRIMARY KEY);
     ALTER TABLE pets ADD CONSTRAINT a_shop FOREIGN KEY (category_id) REFERENCES shops ON DELETE ${action}`,
    );
    await client.end();
    await expect(startGateway(audited, { DATABASE_URL })).rejects.toThrow(
      'Pet has audit: true, but the database itself changes its rows when rows of shops are deleted: give the relation of a_shop onDelete: Restrict, or remove audit: true',
    );
  },
);

test('rows of which statements are not made can not be audited', async () => {
  const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const models = Object.fromEntries(
    Object.values(animals.prisma.models).map((model) => [`Other${model.name}`, model]),
  );
  await expect(
    startGateway({ ...audited, prisma: { ...animals.prisma, models } }, { DATABASE_URL }),
  ).rejects.toThrow("Pet can't have audit: true");
});
