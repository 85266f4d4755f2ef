import { assert, asyncProperty, boolean, type Arbitrary } from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { propertyRuns } from '../support/property-runs.ts';
import { things, at, CREATE, exactly, FIELDS, read, serveThings } from '../support/serve-things.ts';

const { byRest, byGraphQL, useEngine, pool, answeredBy, close } = await serveThings();
afterAll(close);

type Thing = typeof things extends Arbitrary<infer Value> ? Value : never;

/** The thing as GraphQL returns it, with 64-bit integers as strings. */
function inGraphQL(thing: Thing): object {
  const { bigInt, bigIntOrNull, bigInts } = thing;
  return {
    ...thing,
    bigInt: String(bigInt),
    bigIntOrNull: bigIntOrNull?.toString() ?? null,
    bigInts: bigInts.map(String),
  };
}

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const base64Of = (value: string) => `translate(encode(${value}, 'base64'), E'\\n', '')`;
const decimalText = (value: string) => `trim_scale(${value})::text`;
const momentText = (value: string) => `to_char(${value} AT TIME ZONE 'UTC', ${ISO})`;
const each = (column: string, text: (value: string) => string) =>
  `(SELECT coalesce(json_agg(${text('v')} ORDER BY n), '[]') FROM unnest(${column}) WITH ORDINALITY AS u (v, n))`;

/** SQL expressions for the stored values of fields that need more than the column of the same name. */
const STORED: Readonly<Record<string, string>> = {
  bigInt: 'big_int',
  bigIntOrNull: 'big_int_or_null',
  decimal: decimalText('"decimal"'),
  decimalOrNull: decimalText('"decimalOrNull"'),
  dateTime: momentText('"dateTime"'),
  dateTimeOrNull: `to_char("dateTimeOrNull", ${ISO})`,
  dateOrNull: `to_char("dateOrNull", 'YYYY-MM-DD')`,
  bytes: base64Of('"bytes"'),
  bytesOrNull: base64Of('"bytesOrNull"'),
  level: 'lower("level"::text)',
  levelOrNull: 'lower("levelOrNull"::text)',
  bigInts: 'big_ints',
  decimals: each('decimals', decimalText),
  dateTimes: each('"dateTimes"', momentText),
  blobs: each('blobs', base64Of),
  levels: each('levels', (value) => `lower(${value}::text)`),
};

async function stored(id: unknown): Promise<unknown> {
  const members = FIELDS.split(/\s+/).map((name) => `${STORED[name] ?? `"${name}"`} AS "${name}"`);
  const { rows } = await pool.query<{ text: string }>(
    `SELECT to_json(thing)::text AS text FROM (SELECT ${members.join()} FROM "every thing" WHERE id = $1) AS thing`,
    [id],
  );
  return read(rows[0]?.text);
}

function doubleOf(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Converts floats to doubles, because PostgreSQL and JavaScript may write a double with different digits. */
function withDoubles(thing: unknown): object {
  return {
    ...(isJsonObject(thing) && thing),
    float: doubleOf(at(thing, 'float')),
    floatOrNull: doubleOf(at(thing, 'floatOrNull')),
    floats: [at(thing, 'floats')].flat().map(doubleOf),
  };
}

function withId(id: unknown, thing: unknown): object {
  return { id, ...(isJsonObject(thing) && thing) };
}

/** Rounds to 15 digits, because the engine stores a different double for a number with more digits. */
function rounded(value: number): number {
  return Number((value / 2).toPrecision(15));
}

test('values sent to either API are stored exactly, and both APIs return them exactly', async () => {
  await assert(
    asyncProperty(things, boolean(), async (thing, isRest) => {
      const sent = exactly(thing);
      const returned = exactly(inGraphQL(thing));
      answeredBy.length = 0;
      const created = isRest
        ? await byRest('/things', thing)
        : at(await byGraphQL(CREATE, { input: thing }), 'data', 'createThing');
      const id = Number(at(created, 'id'));
      expect(created).toStrictEqual(withId(at(created, 'id'), isRest ? sent : returned));
      expect(withDoubles(await stored(id))).toStrictEqual(withDoubles(sent));

      const after = id - 1;
      const found = withId(id, sent);
      expect(await byRest(`/things/${id}`)).toStrictEqual(found);
      expect(await byRest(`/things?limit=1&after=${after}`)).toStrictEqual([found]);
      expect(await byRest(`/owners/1?after=${after}`)).toStrictEqual({ things: [found] });
      expect(
        await byGraphQL(
          `query($id: ID!, $after: ID) {
            thing(id: $id) { ${FIELDS} }
            things(limit: 1, after: $after) { ${FIELDS} }
            owner(id: 1) { things(limit: 1, after: $after) { ${FIELDS} } }
          }`,
          { id, after },
        ),
      ).toStrictEqual({
        data: { thing: returned, things: [returned], owner: { things: [returned] } },
      });
      expect(answeredBy.filter((name) => name.startsWith('engine'))).toEqual([]);
    }),
    propertyRuns(100),
  );
});

test("Prisma's engine stores the same values as the gateway's own statements, including integers in JSON", async () => {
  useEngine(true);
  onTestFinished(() => {
    useEngine(false);
  });
  await assert(
    asyncProperty(things, async (thing) => {
      const { floats } = thing;
      const sent = {
        ...thing,
        float: rounded(thing.float),
        floatOrNull: thing.floatOrNull && rounded(thing.floatOrNull),
        floats: floats.map(rounded),
      };
      const id = at(await byRest('/things', sent), 'id');
      expect(answeredBy.at(-1)).toBe('engine: Everything.create');
      expect(withDoubles(await stored(id))).toStrictEqual(withDoubles(exactly(sent)));
    }),
    propertyRuns(50),
  );
});
