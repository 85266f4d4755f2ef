import { expect, test } from 'vitest';
import { countingKeys, sunsetOf } from '../support/counting-keys.ts';
import { OTHERS, USES } from '../support/deprecated-uses.ts';
import { deprecatingStore } from '../support/deprecating-store.ts';
import { startGateway } from '../support/gateway.ts';

/*
 * Whatever is deprecated is announced, counted and gone for those requests that use it, on both surfaces.
 */

const BEFORE = Date.parse('2030-12-31T23:59:59Z');

let now = BEFORE;
const newKey = countingKeys(await startGateway({ api: deprecatingStore, now: () => now }));

const EACH_USE = USES.map(({ sent, of, name, year }) => ({
  sent,
  of,
  name,
  year,
  what: JSON.stringify(sent),
}));
const IN_GRAPHQL = EACH_USE.filter(({ sent }) => sent.path === '/graphql');
const IN_REST = EACH_USE.filter(({ sent }) => sent.path !== '/graphql');

test.each(EACH_USE)('until $year, $what is answered, announced and counted', async (use) => {
  now = BEFORE;
  const { send, calls } = await newKey();
  const { text, headers } = await send(use.sent);
  expect(text).not.toMatch(/GONE|errors/);
  expect(headers.get('Sunset')).toBe(sunsetOf(use.year));
  expect(headers.get('Deprecation')).toBe(`@${Date.parse('2026-11-25') / 1000}`);
  expect(headers.get('Link')).toMatch(/<[^>]*docs[^>]*>; rel="deprecation"/);
  expect(headers.get('Link')).not.toContain('successor');
  expect(await calls()).toEqual({ [use.of]: 1 });
});

test.each(IN_GRAPHQL)('from $year on, $what is gone, and still counted', async (use) => {
  now = Date.parse(`${use.year}-01-01`);
  const { send, calls } = await newKey();
  const { status, json } = await send(use.sent);
  const start = `${use.name} was removed on 1 January ${use.year}. Use `;
  expect(status).toBe(200);
  expect(json).toEqual({
    errors: [
      {
        message: expect.stringContaining(start) as unknown,
        locations: [{ line: 1, column: expect.any(Number) as unknown }],
        extensions: { code: 'GONE', status: 410 },
      },
    ],
  });
  expect(await calls()).toEqual({ [use.of]: 1 });
});

test.each(IN_REST)('from $year on, $what is 410, and still counted', async (use) => {
  now = Date.parse(`${use.year}-01-01`);
  const { send, calls } = await newKey();
  const { status, json, headers } = await send(use.sent);
  const start = `${use.name} was removed on 1 January ${use.year}. Use `;
  const message = expect.stringContaining(start) as unknown;
  expect([status, json]).toEqual([410, { code: 'GONE', status: 410, message }]);
  expect(headers.get('Sunset')).toBe(sunsetOf(use.year));
  expect(await calls()).toEqual({ [use.of]: 1 });
});

test.each(OTHERS)('%j uses nothing that is deprecated, and stays', async (sent) => {
  now = Date.parse('2050-01-01');
  const { send, calls } = await newKey();
  const { status, text, headers } = await send(sent);
  expect(status).toBeLessThan(300);
  expect(text).not.toContain('errors');
  expect(headers.get('Sunset')).toBeNull();
  expect(await calls()).toEqual({});
});
