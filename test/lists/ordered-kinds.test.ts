import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { openClients } from '../../packages/data/test/clients.ts';
import { Level } from '../../packages/data/test/generated/enums.ts';
import { memberAt, objectsIn } from '../support/json-members.ts';
import { libraryBuilder } from '../support/library.ts';

/* Cursors are exact for every kind of column that lists can be ordered by. */

const { batched, engine, pool } = await openClients();

const builder = libraryBuilder();
builder.prismaObject('Owner', { fields: (t) => ({ id: t.exposeID('id') }) });
// Only the id column is read unless others are selected.
const Everything = builder.prismaObject('Everything', {
  resource: { plural: 'everythings', nouns: 'things' },
  select: { id: true },
  fields: (t) => ({ id: t.exposeID('id'), owner: t.relation('owner', { nullable: true }) }),
});
const COLUMNS = {
  bigInt: 'big_int',
  int: 'int',
  float: 'float',
  decimal: 'decimal',
  string: 'string',
  dateTime: '"dateTime"',
};
builder.connectionField(
  builder.listField(Everything, {
    orderBy: Object.keys(COLUMNS),
    ranges: ['bigInt', 'int', 'float', 'decimal', 'dateTime'],
    find: (query, { database }) => database.everything.findMany(query),
  }),
);
builder.queryType({});
const schema = builder.toSchema({ sortSchema: false });

/** Adjacent values that would be equal as doubles, in whole seconds or as trimmed texts. */
const VALUES = [
  [9223372036854775806n, 1, 0.1, '0.1', 'a', '2026-01-01T00:00:00.001Z'],
  [
    9223372036854775807n,
    2,
    0.1 + Number.EPSILON,
    '0.10000000000000000001',
    'a ',
    '2026-01-01T00:00:00.002Z',
  ],
  [
    -9223372036854775808n,
    -2147483648,
    -1e300,
    '-12345678901234567890.5',
    '"\\%_',
    '0001-01-01T00:00:00.000Z',
  ],
  [
    9007199254740993n,
    2147483647,
    5e-324,
    '12345678901234567890.5',
    '🦉',
    '9999-12-31T23:59:59.999Z',
  ],
  [9007199254740992n, 0, 0, '0', '', '1970-01-01T00:00:00.000Z'],
  [9007199254740992n, 0, 0, '0', '', '1970-01-01T00:00:00.000Z'],
] as const;
for (const [bigInt, int, float, decimal, string, dateTime] of VALUES) {
  const others = { boolean: true, json: {}, bytes: new Uint8Array(), level: Level.low };
  const data = { ...others, bigInt, int, float, decimal, string, dateTime };
  await engine.everything.create({ data });
}

/** Times that a JavaScript Date or RFC 3339 cannot represent. */
const FAR = ['infinity', '-infinity', '0044-03-15 BC', '0001-06-01 BC', '10000-01-02', 'infinity'];
for (const far of FAR) {
  const data = { bigInt: 1n, int: 1, float: 1, decimal: 1, string: far, dateTime: new Date() };
  const others = { boolean: true, json: {}, bytes: new Uint8Array(), level: Level.low };
  const { id } = await engine.everything.create({ data: { ...others, ...data } });
  await pool.query('UPDATE "every thing" SET "dateTime" = string::timestamptz WHERE id = $1', [id]);
}

async function edges(args: string) {
  const { data, errors } = await graphql({
    schema,
    source: `{ page: everythingsConnection(${args}) { edges { cursor node { id owner { id } } } } }`,
    contextValue: { database: batched },
  });
  expect(errors).toBeUndefined();
  return objectsIn(memberAt({ ...data }, 'page', 'edges')).map((edge) => ({
    cursor: String(edge['cursor']),
    id: memberAt(edge, 'node', 'id'),
  }));
}

async function idsBy(sql: string): Promise<unknown[]> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM "every thing" ${sql}`);
  return rows.map(({ id }) => id);
}

test.each(Object.entries(COLUMNS))(
  'each cursor in a list ordered by %s finds the next and previous rows',
  async (field, column) => {
    const name = field.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
    for (const [direction, sql] of [
      ['ASC', `ORDER BY ${column}, id`],
      ['DESC', `ORDER BY ${column} DESC, id DESC`],
    ] as const) {
      const expected = await idsBy(sql);
      const order = `orderBy: [${name}_${direction}]`;
      const all = await edges(`${order}, first: 100`);
      expect(all.map(({ id }) => id)).toEqual(expected);
      for (const [place, { cursor }] of all.entries()) {
        const after = await edges(`${order}, first: 100, after: "${cursor}"`);
        expect(after.map(({ id }) => id)).toEqual(expected.slice(place + 1));
        const before = await edges(`${order}, last: 100, before: "${cursor}"`);
        expect(before.map(({ id }) => id)).toEqual(expected.slice(0, place));
      }
    }
  },
);

test.each([
  ['bigIntFrom: "9007199254740993"', 'WHERE big_int >= 9007199254740993 ORDER BY big_int, id'],
  ['intBefore: 1', 'WHERE int < 1 ORDER BY int, id'],
  ['floatFrom: 0.1, floatBefore: 0.10000000000000003', 'WHERE float = 0.1 ORDER BY float, id'],
  [
    'decimalFrom: "0.10000000000000000001"',
    'WHERE decimal >= 0.10000000000000000001 ORDER BY decimal, id',
  ],
  [
    'dateTimeBefore: "2026-01-01T01:00:00.002+01:00"',
    `WHERE "dateTime" < '2026-01-01T00:00:00.002Z' ORDER BY "dateTime", id`,
  ],
])('a range filter is exact: %s', async (args, sql) => {
  const expected = await idsBy(sql);
  expect(expected.length).toBeGreaterThan(0);
  const found = await edges(`${args}, first: 100`);
  expect(found.map(({ id }) => id)).toEqual(expected);
});

test.each<[what: string, field: string]>([
  ['may be null', 'bigIntOrNull'],
  ['is a boolean', 'boolean'],
  ['is an enum', 'level'],
  ['is a list', 'strings'],
  ['is JSON', 'json'],
  ['does not exist', 'nothing'],
])('an order by a column that %s is rejected at startup', (_what, field) => {
  const other = libraryBuilder();
  const type = other.prismaObject('Everything', {
    resource: { plural: 'everythings' },
    fields: (t) => ({ id: t.exposeID('id') }),
  });
  expect(() =>
    other.listField(type, { orderBy: [field], find: () => Promise.resolve([]) }),
  ).toThrow(
    `Everything can't be ordered by ${field}: the column must be required and hold integers, decimals, floats, text, days or times in milliseconds (@db.Timestamptz(3))`,
  );
});
