import { graphql } from 'graphql';
import { expect, test } from 'vitest';
import { shopSchema } from './shop.ts';

const schema = shopSchema();
const EXPECTED =
  'at must be a point in time with its offset and at most milliseconds, in the years 1 to 9999, such as 2026-11-22T09:30:00.125Z';

const same = (at: unknown) =>
  graphql({
    schema,
    source: 'query($at: DateTime!) { sameMoment(at: $at) }',
    variableValues: { at },
  });

test.each([
  ['2026-11-22T09:30:00Z', '2026-11-22T09:30:00.000Z'],
  ['2026-11-22t09:30:00.1z', '2026-11-22T09:30:00.100Z'],
  ['2026-11-22T09:30:00.123000Z', '2026-11-22T09:30:00.123Z'],
  ['2026-11-22T09:30:00+05:45', '2026-11-22T03:45:00.000Z'],
  ['2026-11-22T00:30:00-23:59', '2026-11-23T00:29:00.000Z'],
  ['2026-11-22T09:30:00-00:00', '2026-11-22T09:30:00.000Z'],
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('%s is %s', async (given, moment) => {
  expect(await same(given)).toEqual({ data: { sameMoment: moment } });
  const source = `{ sameMoment(at: "${given}") }`;
  expect(await graphql({ schema, source })).toEqual({ data: { sameMoment: moment } });
});

test.each([
  '2026-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-11-22T24:00:00Z',
  '2026-11-22T09:60:00Z',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '10000-01-01T00:00:00Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-11-22T09:30:00',
  '2026-11-22T09:30Z',
  '2026-11-22 09:30:00Z',
  '2026-11-22',
  '2026-11-22T09:30:00.Z',
  '2026-11-22T09:30:00,5Z',
  '2026-11-22T09:30:00.1234Z',
  '2026-11-22T09:30:00+24:00',
  '2026-11-22T09:30:00+01:60',
  '2026-11-22T09:30:00+0100',
  '2026-11-22T09:30:00+01',
  ' 2026-11-22T09:30:00Z',
  '2026-11-22T09:30:00Z\n',
  '٢٠٢٦-11-22T09:30:00Z',
  'now',
  '',
  0,
  true,
])('%j is refused in words', async (given) => {
  const { errors } = await same(given);
  expect(errors?.[0]?.message).toContain(EXPECTED.slice('at must be '.length));
});
