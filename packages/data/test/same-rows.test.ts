import { randomUUID } from 'node:crypto';
import { assert, asyncProperty } from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { openClients } from './clients.ts';
import { everything } from './everything.ts';

const { engine, batched, under, answeredBy, close } = await openClients();
afterAll(close);

test('rows are the same, whether statements or the engine have written or read them', async () => {
  await assert(
    asyncProperty(everything, async (data) => {
      answeredBy.length = 0;
      const byStatement = await batched.everything.create({ data });
      expect(answeredBy).toEqual(['Everything.createAll']);
      const byEngine = await engine.everything.create({ data });
      expect({ ...byStatement, id: byEngine.id }).toStrictEqual(byEngine);
      const key = randomUUID();
      const once = await under(key).everything.create({ data });
      expect({ ...once, id: byEngine.id }).toStrictEqual(byEngine);
      expect(await under(key).everything.create({ data })).toStrictEqual(once);
      for (const { id } of [byStatement, byEngine]) {
        const found = await batched.everything.findUnique({ where: { id } });
        expect(found).toStrictEqual(await engine.everything.findUnique({ where: { id } }));
      }
      const page = {
        where: { level: data.level, id: { gt: byStatement.id - 5n } },
        orderBy: { id: 'asc' },
        take: 5,
      } as const;
      const backward = {
        ...page,
        where: { level: data.level, id: { lt: byStatement.id } },
        orderBy: { id: 'desc' },
      } as const;
      for (const args of [page, backward]) {
        expect(await batched.everything.findMany(args)).toStrictEqual(
          await engine.everything.findMany(args),
        );
      }
    }),
    propertyRuns(100),
  );
});

test('defaults are the same', async () => {
  const row = await engine.defaulted.create({ data: {} });
  const own = await batched.defaulted.create({ data: {} });
  expect(answeredBy.at(-1)).toBe('Defaulted.createAll');
  const { id, createdAt, updatedAt } = row;
  expect({ ...own, id, createdAt, updatedAt }).toStrictEqual(row);
  expect(own.id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
  expect(own.createdAt).toEqual(own.updatedAt);
  expect(own).toStrictEqual(await engine.defaulted.findUnique({ where: { id: own.id } }));
});

test('defaults of every kind are the same, in a row that is given nothing', async () => {
  const byEngine = await engine.allDefaults.create({ data: {} });
  const own = await batched.allDefaults.create({ data: {} });
  expect(answeredBy.at(-1)).toBe('AllDefaults.createAll');
  const { id, serial, createdAt } = byEngine;
  expect({ ...own, id, serial, createdAt }).toStrictEqual(byEngine);
  expect(own.serial).toBe(serial + 1);
  expect(own.createdAt).toBeInstanceOf(Date);
  // Null can't stand for what is generated where it is a value.
  const withNull = await batched.allDefaults.create({ data: { createdAt: null } });
  expect(withNull).toMatchObject({ createdAt: null });
});

test('a value that an enum has got since fails no other request', async () => {
  const { engine: other, batched: client, pool, close: end } = await openClients();
  onTestFinished(end);
  const known = await other.defaulted.create({ data: {} });
  const unknown = await other.defaulted.create({ data: {} });
  await pool.query(`ALTER TYPE level_type ADD VALUE 'newer'`);
  await pool.query(`UPDATE "Defaulted" SET level = 'newer' WHERE id = $1`, [unknown.id]);
  const found = await Promise.all(
    [known, unknown].map(({ id }) => client.defaulted.findUnique({ where: { id } })),
  );
  expect(found).toEqual([known, { ...unknown, level: 'newer' }]);
});
