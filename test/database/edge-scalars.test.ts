import { afterAll, expect, test } from 'vitest';
import { printJson } from '@store-gateway/rest/openapi';
import { libraryBuilder } from '../support/library.ts';
import { at, CREATE, read, REQUIRED, serveThings, thingsRest } from '../support/serve-things.ts';

const { byRest, byGraphQL, pool, close } = await serveThings();
afterAll(close);
// A numeric column with a precision cannot store infinity.
await pool.query(
  `ALTER TABLE "every thing" ALTER decimals TYPE numeric[], ALTER "dateTimeOrNull" TYPE timestamp(0)`,
);

test.each([
  ['bigInt', 2n ** 63n, 1.5, true],
  ['bigIntOrNull', -(2n ** 63n) - 1n, {}],
  ['int', 2 ** 31, 1.5, '1', null],
  ['intOrNull', 32768, -32769],
  ['float', '1', true],
  ['decimal', 1, '1e3', '9'.repeat(36), `0.${'1'.repeat(31)}`, 'NaN'],
  ['decimalOrNull', '1234567890123456', '0.000001'],
  ['string', 'a\0', 1, '\ud800'],
  ['stringOrNull', 'x'.repeat(41)],
  ['uuidOrNull', 'x'],
  ['boolean', 'true', 1],
  ['dateTime', '2026-02-30T00:00:00Z', '10000-01-01T00:00:00Z', '2026-11-22T09:30:00.1234Z', 1],
  ['dateOrNull', '2026-02-30', '0000-01-01', '2026-11-22T00:00:00Z'],
  ['json', null, 'a\0', { '\0': 1 }, ['\udc00']],
  ['bytes', 'A', 'AAE', 1],
  ['level', 'LOW', 1],
  ['strings', ['a\0'], [null], null],
  ['ints', [32768], ['1']],
  ['bigInts', [1, 2n ** 63n]],
  ['floats', ['1']],
  ['decimals', ['1', 1]],
  ['dateTimes', ['2026-11-22']],
  ['jsons', [null]],
  ['blobs', ['?']],
  ['levels', ['medium']],
] as const)(
  "%s rejects values that its column can't store, in both APIs",
  async (name, ...values) => {
    for (const value of values) {
      const input = { ...REQUIRED, [name]: value };
      const refused = await byRest('/things', input);
      expect(refused).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
      expect(at(refused, 'message')).toMatch(new RegExp(`^${name} must be `));
      const errors = at(await byGraphQL(CREATE, { input }), 'errors');
      expect(at(errors, 0, 'extensions', 'code')).toBe('BAD_USER_INPUT');
      expect(at(errors, 0, 'extensions', 'faults', 0, 'path', 1)).toBe(name);
    }
  },
);

test.each(['NaN', 'Infinity', '-Infinity'])(
  'a stored %s is returned by a Decimal field, and always fails a Float field',
  async (stored) => {
    const id = Number(at(await byRest('/things', REQUIRED), 'id'));
    await pool.query(
      `UPDATE "every thing" SET "float" = $1::float8, "decimals" = ARRAY[$1::numeric] WHERE id = $2`,
      [stored, id],
    );
    const decimals = '($id: ID!) { thing(id: $id) { decimals } }';
    expect(await byGraphQL(`query ${decimals}`, { id })).toEqual({
      data: { thing: { decimals: [stored] } },
    });
    // The third time, a compiled program runs the query.
    for (let times = 1; times <= 3; times += 1) {
      const answer = await byGraphQL('query($id: ID!) { thing(id: $id) { float } }', { id });
      expect(answer).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
    }
  },
);

test('OpenAPI describes each scalar', async () => {
  const document = read(await printJson(thingsRest));
  const types = ['bigInt', 'int', 'decimalOrNull', 'dateTime', 'json', 'bytes', 'ints', 'bigInts'];
  const printed = types.map((name) =>
    JSON.stringify(
      at(document, 'components', 'schemas', 'NewThing', 'properties', name),
      (key, value: unknown) => (['description', 'examples'].includes(key) ? undefined : value),
    ),
  );
  expect(printed).toMatchInlineSnapshot(`
    [
      "{"type":"integer","format":"int64"}",
      "{"type":"integer","format":"int32"}",
      "{"anyOf":[{"type":"string","pattern":"^-?\\\\d{1,15}(\\\\.\\\\d{1,5})?$"},{"type":"null"}]}",
      "{"type":"string","format":"date-time"}",
      "{}",
      "{"type":"string","contentEncoding":"base64","pattern":"^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"}",
      "{"type":"array","items":{"type":"integer","minimum":-32768,"maximum":32767}}",
      "{"type":"array","items":{"type":"integer","format":"int64"}}",
    ]
  `);
});

test.each([
  ['timestampType', 'Finer.at has microseconds'],
  ['dateType', 'Finer.at has a time'],
] as const)('%s rejects a column that it would truncate', (type, refusal) => {
  const other = libraryBuilder();
  other.queryType({ fields: (t) => ({ one: t.boolean({ resolve: () => true }) }) });
  other.prismaObject('Finer', {
    fields: (t) => ({ at: t.expose('at', { type: other[type]() }) }),
  });
  expect(() => other.toSchema()).toThrow(refusal);
});

const MOMENTS = 'dateTime dateTimeOrNull dateOrNull dateTimes';
const ALL = `query($id: ID!, $after: ID) {
  thing(id: $id) { ${MOMENTS} }
  things(after: $after) { ${MOMENTS} }
  owner(id: 1) { things(after: $after) { ${MOMENTS} } }
}`;

test.each([
  ['2026-11-22T09:30:00.499Z', '2026-11-22T09:30:00.000Z'],
  ['2026-11-22T09:30:00.600Z', '2026-11-22T09:30:01.000Z'],
  ['9999-12-31T23:59:59.600Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
])('%s in a timestamp(0) column is returned as %s', async (dateTimeOrNull, rounded) => {
  const input = { ...REQUIRED, dateTimeOrNull };
  const created = await byRest('/things', input);
  expect(created).toMatchObject({ dateTimeOrNull: rounded });
  expect(await byRest(`/things/${String(at(created, 'id'))}`)).toEqual(created);
  const answer = await byGraphQL(CREATE, { input });
  expect(at(answer, 'data', 'createThing', 'dateTimeOrNull')).toBe(rounded);
});

test.each([
  ['infinity', '9999-12-31T23:59:59.999Z'],
  ['10000-01-02', '9999-12-31T23:59:59.999Z'],
  ['290000-01-01', '9999-12-31T23:59:59.999Z'],
  ['-infinity', '0001-01-01T00:00:00.000Z'],
  ['0044-03-15 BC', '0001-01-01T00:00:00.000Z'],
])('the stored date or time %s is returned as %s', async (stored, answered) => {
  const id = Number(at(await byRest('/things', REQUIRED), 'id'));
  await pool.query(
    `UPDATE "every thing" SET "dateTime" = $1::timestamptz, "dateTimeOrNull" = $1::timestamp,
      "dateOrNull" = $1::date, "dateTimes" = ARRAY[$1::timestamptz] WHERE id = $2`,
    [stored, id],
  );
  const moments = {
    dateTime: answered,
    dateTimeOrNull: answered,
    dateOrNull: answered.slice(0, '9999-12-31'.length),
    dateTimes: [answered],
  };
  const after = id - 1;
  expect(await byRest(`/things/${id}`)).toMatchObject(moments);
  expect(await byRest(`/things?after=${after}`)).toMatchObject([moments]);
  expect(await byGraphQL(ALL, { id, after })).toEqual({
    data: { thing: moments, things: [moments], owner: { things: [moments] } },
  });
});
