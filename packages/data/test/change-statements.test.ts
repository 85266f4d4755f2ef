import { afterAll, expect, test } from 'vitest';
import { openClients } from './clients.ts';
import type { Prisma } from './generated/client.ts';

const { engine, batched, statements, close } = await openClients();
afterAll(close);

const REQUIRED = {
  bigInt: 1n,
  int: 1,
  float: 0.1,
  decimal: '1.5',
  string: 'text',
  boolean: false,
  dateTime: new Date(0),
  json: {},
  bytes: new Uint8Array([0, 255]),
  level: 'low',
} as const satisfies Prisma.EverythingCreateInput;

test('changes of ever more sets of columns leave few statements prepared', async () => {
  const { id } = await engine.everything.create({ data: REQUIRED });
  const fields = ['int', 'float', 'string', 'boolean', 'level', 'bigInt', 'bytes', 'json'] as const;
  for (let subset = 1; subset < 2 ** fields.length; subset += 1) {
    const some = fields.filter((_field, index) => (subset >> index) % 2 === 1);
    const data = Object.fromEntries(some.map((field) => [field, REQUIRED[field]]));
    await batched.everything.update({ where: { id }, data });
  }
  const kept = new Set(
    statements.map(({ statement: { name, preparedAs } }) =>
      name === 'Everything.updateAll' ? preparedAs : '',
    ),
  );
  expect(kept.size).toBe(1 + 128);
});

test('each change of a row moves the time of its update on', async () => {
  const { id, updatedAt } = await engine.defaulted.create({ data: {} });
  const times = [updatedAt.getTime()];
  for (let number = 0; number < 20; number += 1) {
    const updated = await batched.defaulted.update({ where: { id }, data: { number } });
    times.push(updated.updatedAt.getTime());
  }
  expect(statements.at(-1)?.statement.name).toBe('Defaulted.updateAll');
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(new Set(times).size).toBe(times.length);
  expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(1_800_000);
  const given = new Date('2020-01-01T00:00:00.001Z');
  const set = await batched.defaulted.update({ where: { id }, data: { updatedAt: given } });
  expect(set.updatedAt).toEqual(given);
});
