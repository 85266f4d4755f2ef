import { randomUUID } from 'node:crypto';
import { assert, asyncProperty, boolean } from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { asRead } from '../src/conditions.ts';
import { modelOf, openClients } from './clients.ts';
import { everything, someOfEverything } from './everything.ts';
import { Prisma } from './generated/client.ts';

const { engine, batched, under, answeredBy, close } = await openClients();
afterAll(close);

const Everything = modelOf('Everything');

test('rows are the same, whether statements or the engine have changed them', async () => {
  await assert(
    asyncProperty(everything, someOfEverything, boolean(), async (data, changed, isBoth) => {
      const [own, theirs] = await Promise.all([
        engine.everything.create({ data }),
        engine.everything.create({ data }),
      ]);
      answeredBy.length = 0;
      const read = await batched.everything.findUniqueOrThrow({ where: { id: own.id } });
      const condition = asRead(Everything, read);
      const where = { id: own.id, ...(isBoth && condition) };
      const updated = await batched.everything.update({ where, data: changed });
      const isNothing = Object.keys(changed).length === 0;
      expect(answeredBy).toEqual([
        'Everything.findByIds',
        isNothing ? 'engine: Everything.update' : 'Everything.updateAll',
      ]);
      const expected = await engine.everything.update({
        where: { id: theirs.id },
        data: changed,
      });
      expect({ ...updated, id: theirs.id }).toStrictEqual(expected);
      expect(await engine.everything.findUnique({ where: { id: own.id } })).toStrictEqual(updated);
      const deleted = await batched.everything.delete({
        where: { id: own.id, ...asRead(Everything, updated) },
      });
      expect(answeredBy.at(-1)).toBe('Everything.deleteAll');
      expect(deleted).toStrictEqual(updated);
    }),
    propertyRuns(100),
  );
});

test('under a key rows are the same, and repeated exactly', async () => {
  await assert(
    asyncProperty(everything, someOfEverything, async (data, changed) => {
      const { id } = await engine.everything.create({ data });
      const read = await batched.everything.findUniqueOrThrow({ where: { id } });
      const where = { id, ...asRead(Everything, read) };
      const once = under(randomUUID());
      const updated = await once.everything.update({ where, data: changed });
      expect(updated).toStrictEqual(await engine.everything.findUnique({ where: { id } }));
      const last = under(randomUUID());
      const remove = { where: { id, ...asRead(Everything, updated) } };
      expect(await last.everything.delete(remove)).toStrictEqual(updated);
      expect(await last.everything.delete(remove)).toStrictEqual(updated);
      expect(await once.everything.update({ where, data: changed })).toStrictEqual(updated);
    }),
    propertyRuns(50),
  );
});

test('a row as it was read is another one once any of its columns has changed', async () => {
  await assert(
    asyncProperty(everything, someOfEverything, async (data, changed) => {
      const { id } = await engine.everything.create({ data });
      const read = await batched.everything.findUniqueOrThrow({ where: { id } });
      await engine.everything.update({ where: { id }, data: changed });
      const present = await batched.everything.findUniqueOrThrow({ where: { id } });
      const isSame = JSON.stringify(present, texts) === JSON.stringify(read, texts);
      const where = { id, ...asRead(Everything, read) };
      const [outcome] = await Promise.allSettled([batched.everything.delete({ where })]);
      expect(outcome).toMatchObject(isSame ? { value: { id } } : { reason: { code: 'P2025' } });
    }),
    propertyRuns(100),
  );
});

function texts(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

test('times beyond what a Date has, and numbers that are not finite, are as they were read', async () => {
  const {
    engine: other,
    batched: client,
    pool,
    under: withKey,
    answeredBy: calls,
    close: end,
  } = await openClients();
  onTestFinished(end);
  const { id } = await other.everything.create({
    data: {
      bigInt: 1n,
      int: 1,
      float: 1,
      decimal: 1,
      string: '',
      boolean: true,
      dateTime: new Date(),
      json: Prisma.JsonNull,
      bytes: new Uint8Array(),
      level: 'low',
    },
  });
  await pool.query(`ALTER TYPE level_type ADD VALUE 'newer'`);
  await pool.query(
    `UPDATE "every thing" SET "dateTime" = 'infinity', "dateTimeOrNull" = '-infinity',
    "float" = 'NaN', "floatOrNull" = '-Infinity', "level" = 'newer', "jsonOrNull" = '12345678901234567890'
    WHERE id = $1`,
    [id],
  );
  const read = await client.everything.findUniqueOrThrow({ where: { id } });
  const where = { id, ...asRead(Everything, read) };
  const once = withKey('beyond');
  const update = () => once.everything.update({ where, data: { int: 2 } });
  expect([await update(), await update()]).toStrictEqual([
    { ...read, int: 2 },
    { ...read, int: 2 },
  ]);
  await expect(client.everything.delete({ where })).rejects.toMatchObject({ code: 'P2025' });
  expect(calls.at(-1)).toBe('Everything.deleteAll');
});
