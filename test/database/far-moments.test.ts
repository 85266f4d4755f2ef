import { afterAll, expect, test } from 'vitest';
import { at, CREATE, REQUIRED, serveThings } from '../support/serve-things.ts';

const { byRest, byGraphQL, pool, close } = await serveThings();
afterAll(close);
await pool.query(`ALTER TABLE "every thing" ALTER "dateTimeOrNull" TYPE timestamp(0)`);

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
])('a column of seconds answers what it has rounded %s to', async (dateTimeOrNull, rounded) => {
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
])('%s in a column is answered as %s', async (stored, answered) => {
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
