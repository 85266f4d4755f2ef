import { afterAll, expect, test } from 'vitest';
import { openClients } from './clients.ts';
import { Level, Prisma } from './generated/client.ts';

const { engine, batched, answeredBy, close } = await openClients();
afterAll(close);

// What lists of texts and integers are taken apart by, and where they are taken apart in another way.
test.each([
  ['plain texts', ['a', '', ', ', "'", '€', '😀', '\u007f'], [1n, 0n, null]],
  ['texts with quotes', ['a', '"', '", "', '["', '"]'], [-1n, null, null]],
  ['texts with control characters', ['a', '\u0001', '\n', '\\'], [999_999_999_999_999n]],
  ['texts and null', ['a', null, 'b', null], [1_000_000_000_000_000n, -999_999_999_999_999n]],
  ['a text that is called null', ['a', 'null', 'nullable'], [2n ** 63n - 1n, null, -(2n ** 63n)]],
  ['nothing but null', [null, null], [null]],
  ['nothing but an empty text', [''], [7n]],
])('the rows of a page are the same: %s', async (_what, texts, integers) => {
  const rows = texts.map((value, index) => ({
    bigInt: integers[index] ?? 5n,
    bigIntOrNull: integers[index] ?? null,
    int: -(2 ** 31) + index,
    float: 1,
    decimal: '1.5',
    string: value ?? '',
    stringOrNull: value,
    boolean: true,
    dateTime: new Date(0),
    json: ['a', 1, null],
    jsonOrNull: value ?? Prisma.DbNull,
    bytes: Buffer.from(value ?? ''),
    level: Level.low,
  }));
  const created = await engine.everything.createManyAndReturn({ data: rows });
  const ids = created.map(({ id }) => id).toSorted((one, other) => (one < other ? -1 : 1));
  const args = {
    where: { id: { gt: (ids[0] ?? 0n) - 1n } },
    orderBy: { id: 'asc' },
    take: texts.length,
  } as const;
  answeredBy.length = 0;
  const found = await batched.everything.findMany(args);
  expect(answeredBy).toEqual(['Everything.findPages']);
  expect(found).toStrictEqual(await engine.everything.findMany(args));
});
