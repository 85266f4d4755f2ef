import { expect, test } from 'vitest';
import {
  countingKeys,
  sunsetOf,
  OTHERS,
  USES,
  deprecatingStore,
  graphql,
} from '../support/deprecating-store.ts';
import { startGateway } from '../support/gateway.ts';

/* Both APIs announce, count and remove deprecated elements for the requests that use them. */

const BEFORE = Date.parse('2030-12-31T23:59:59Z');

let now = BEFORE;
const gateway = await startGateway({ api: deprecatingStore, now: () => now });
const newKey = countingKeys(gateway);

const EACH_USE = USES.map((use) => Object.assign(use, { what: JSON.stringify(use.sent) }));

test.each(EACH_USE)(
  'until $year, $what succeeds, announces its removal and is counted',
  async (use) => {
    now = BEFORE;
    const { send, calls } = await newKey();
    const { text, headers } = await send(use.sent);
    expect(text).not.toMatch(/GONE|errors/);
    expect(headers.get('Sunset')).toBe(sunsetOf(use.year));
    expect(headers.get('Deprecation')).toBe(`@${Date.parse('2026-11-25') / 1000}`);
    expect(headers.get('Link')).toMatch(/<[^>]*docs[^>]*>; rel="deprecation"/);
    expect(headers.get('Link')).not.toContain('successor');
    expect(await calls()).toEqual({ [use.of]: 1 });
  },
);

test.each(EACH_USE)(
  'from $year on, $what fails with GONE, changes nothing, and is still counted',
  async (use) => {
    now = Date.parse(`${use.year}-01-01`);
    const before = await gateway.database.pet.count();
    const { send, calls } = await newKey();
    const { status, json, headers } = await send(use.sent);
    const start = `${use.name} was removed on 1 January ${use.year}. Use `;
    const error = { code: 'GONE', status: 410 };
    const message = expect.stringContaining(start) as unknown;
    const locations = [{ line: 1, column: expect.any(Number) as unknown }];
    const sunset = headers.get('Sunset');
    expect({ status, json, sunset }).toEqual(
      use.sent.path === '/graphql'
        ? { status: 200, json: { errors: [{ message, locations, extensions: error }] }, sunset }
        : { status: 410, json: { ...error, message }, sunset: sunsetOf(use.year) },
    );
    expect(await gateway.database.pet.count()).toBe(before);
    expect(await calls()).toEqual({ [use.of]: 1 });
  },
);

test.each(OTHERS)('%j does not use anything deprecated, and keeps working', async (sent) => {
  now = Date.parse('2050-01-01');
  const { send, calls } = await newKey();
  const { status, text, headers } = await send(sent);
  expect(status).toBeLessThan(300);
  expect(text).not.toContain('errors');
  expect(headers.get('Sunset')).toBeNull();
  expect(await calls()).toEqual({});
});

test('of several uses, the earliest removal is announced and all are counted', async () => {
  now = BEFORE;
  const { send, calls } = await newKey();
  const query = 'query($s: PetStatus) { oldCard { size } pets(status: $s) { id categoryId } }';
  const some = await send(graphql(query));
  expect(some.headers.get('Sunset')).toBe(sunsetOf(2032));
  const all = await send(graphql(query, { s: 'sold' }));
  expect(all.headers.get('Sunset')).toBe(sunsetOf(2031));
  expect(await calls()).toEqual({
    oldCard: 2,
    'Card.size': 2,
    'Pet.categoryId': 2,
    'PetStatus.sold': 1,
  });
});

test('an operation with invalid variables is not counted', async () => {
  now = BEFORE;
  const { send, calls } = await newKey();
  const query = 'mutation($i: NewPet!) { createPet(input: $i) { id } }';
  const { json } = await send(graphql(query, { i: { name: 1, status: 'sold' } }));
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  expect(await calls()).toEqual({});
});

test('coalesced requests are counted and rejected for each caller', async () => {
  now = BEFORE;
  const [one, other] = [await newKey(), await newKey()];
  const sent = [graphql('{ pets { categoryId } }'), { path: '/v1/pets?status=sold' }];
  const sendAll = () =>
    Promise.all(
      Array.from({ length: 20 }, () => [one, other])
        .flat()
        .flatMap(({ send }) => sent.map((each) => send(each))),
    );
  await sendAll();
  const counted = { 'Pet.categoryId': 20, 'PetStatus.sold': 20 };
  expect([await one.calls(), await other.calls()]).toEqual([counted, counted]);
  now = Date.parse('2032-01-01');
  const refused = await sendAll();
  expect(refused.filter(({ text }) => !text.includes('GONE'))).toEqual([]);
});

test('a removed field returns 410 as application/graphql-response+json', async () => {
  now = Date.parse('2032-01-01');
  const { send } = await newKey();
  const Accept = 'application/graphql-response+json';
  const { status } = await send(graphql('{ pets { categoryId } }'), { Accept });
  expect(status).toBe(410);
});

test('a removed member of a response is announced and then omitted, while its route remains', async () => {
  const answers = [];
  for (const year of [2033, 2034, 2036]) {
    now = Date.parse(`${year}-01-01`);
    const { send, calls } = await newKey();
    const { status, text, headers } = await send({ path: '/v1/card' });
    answers.push([status, text, headers.get('Sunset'), await calls()]);
  }
  expect(answers).toEqual([
    [
      200,
      '{"title":"Rex","size":90,"label":{"text":"Rex"}}',
      sunsetOf(2034),
      { 'Card.size': 1, Label: 1 },
    ],
    [200, '{"title":"Rex","label":{"text":"Rex"}}', sunsetOf(2036), { Label: 1 }],
    [200, '{"title":"Rex"}', null, {}],
  ]);
});

test('a request that uses several deprecated elements announces the earliest removal once', async () => {
  now = Date.parse('2034-01-01');
  const { send } = await newKey();
  const { headers } = await send({ path: '/v1/card?colour=red' });
  expect(headers.get('Sunset')).toBe(sunsetOf(2035));
  expect(headers.get('Link')?.match(/rel="deprecation"/g)).toHaveLength(1);
});
