import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { restAnimal } from '../support/animals.ts';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { requestOf, sendTo, startGateway, type Answer } from '../support/gateway.ts';
import { idIn } from '../support/named-request.ts';
import { changesOf } from '../support/pet-changes.ts';
import { generateApiKey } from '../support/store-database.ts';

const first = await startGateway();
const { database, send, graphql } = first;
// A second gateway on the same database. test/faults/linearizable-reads.test.ts tests separate processes.
const { url } = await startGateway({ databaseUrl: first.databaseUrl });
const sendToSecond = sendTo({ request: requestOf(url, first.key) });

const { newPet, patch, remove, tagOf } = changesOf(first);

const REX = '{"name":"Rex","categoryId":9223372036854775807}';
const IDA = '{"name":"Ida","categoryId":9223372036854775807}';
const REUSED = 'This Idempotency-Key was already used to add another animal';

const keyed = (key: string) => ({ 'Idempotency-Key': key });
/** Adds an animal through REST. */
const add = (key: string, body: unknown = REX, by = send) =>
  by('POST', '/v1/pets', body, keyed(key));
const countOf = (name: string) => database.pet.count({ where: { name } });
const replayedOf = ({ headers }: Answer) => headers.get('Idempotent-Replayed');

const CREATE = 'mutation($input: NewPet!) { createPet(input: $input) { id name } }';
const NAMED = `mutation($input: NewPet!, $key: String) {
  createPet(input: $input, idempotencyKey: $key) { id status }
}`;

type Add = (key: string, input: { name: string; categoryId: string }) => Promise<Answer>;

const WAYS: readonly (readonly [name: string, add: Add])[] = [
  [
    'REST',
    (key, { name, categoryId }) => add(key, `{"name":"${name}","categoryId":${categoryId}}`),
  ],
  ['GraphQL with Idempotency-Key', (key, input) => graphql(CREATE, { input }, keyed(key))],
  ['GraphQL with idempotencyKey', (key, input) => graphql(NAMED, { input, key })],
  // The argument takes precedence, because it is more specific.
  ['GraphQL with both', (key, input) => graphql(NAMED, { input, key }, keyed(randomUUID()))],
];

test.each(WAYS.flatMap(([one, create]) => WAYS.map((other) => [one, ...other, create] as const)))(
  '%s, then %s: an idempotency key adds one animal, and is rejected for a different animal',
  async (_one, _other, repeat, create) => {
    const [key, name] = [randomUUID(), randomUUID()];
    const input = { name, categoryId: '-9223372036854775808' };
    const once = await create(key, input);
    const again = await repeat(key, input);
    expect(again.status).toBeLessThan(300);
    expect([idIn(again), replayedOf(again), replayedOf(once)]).toEqual([idIn(once), 'true', null]);
    const other = await repeat(key, { ...input, categoryId: '-9223372036854775807' });
    expect(other.text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
    expect(replayedOf(other)).toBeNull();
    expect(await countOf(name)).toBe(1);
  },
);

test('without an idempotency key, each mutation adds an animal', async () => {
  const input = { name: randomUUID(), categoryId: 1 };
  for (const variables of [{ input }, { input, key: null }]) {
    await graphql(NAMED, variables);
  }
  expect(await countOf(input.name)).toBe(2);
});

test('a repeated request returns the first status, body and Location, even if it spells out default values', async () => {
  const name = randomUUID();
  const once = await add(name, `{"name":"${name}","categoryId":7}`);
  const same = `{"status":"available","categoryId":7,"name":"${name}"}`;
  const again = await add(name, same, sendToSecond);
  expect([again.status, again.text, again.headers.get('Location')]).toEqual([
    201,
    restAnimal({ id: idIn(once), name, categoryId: 7 }),
    once.headers.get('Location'),
  ]);
  expect(once.text).toBe(again.text);
});

test.each([1, 80])(
  '80 concurrent requests with %i keys on two gateways add one animal for each key',
  async (count) => {
    const names = Array.from({ length: count }, () => randomUUID());
    const addAll = (shift: number) =>
      Promise.all(
        Array.from({ length: 80 }, (_, index) => {
          const name = names[index % count] ?? '';
          const by = (index + shift) % 2 === 0 ? send : sendToSecond;
          return add(name, { name, categoryId: 1 }, by);
        }),
      );
    const once = await addAll(0);
    const again = await addAll(1);
    expect(once.map(({ status }) => status)).toEqual(Array(80).fill(201));
    expect(once.filter((answer) => replayedOf(answer) === null)).toHaveLength(count);
    expect(new Set(once.map(idIn)).size).toBe(count);
    expect(again.map(({ text }) => text)).toEqual(once.map(({ text }) => text));
    expect(await database.pet.count({ where: { name: { in: names } } })).toBe(count);
  },
);

test.each([
  ['name', IDA],
  ['categoryId', '{"name":"Rex","categoryId":9223372036854775806}'],
  ['status', '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}'],
])(
  'the same idempotency key with a different %s returns 422, and adds nothing',
  async (_what, body) => {
    const key = randomUUID();
    const once = await add(key);
    const before = await database.pet.count();
    const rest = await add(key, body);
    expect([rest.status, rest.text]).toEqual([
      422,
      errorBody(422, 'IDEMPOTENCY_KEY_REUSED', REUSED),
    ]);
    const input = body.replaceAll(/"(\w+)":/g, '$1: ').replace('"sold"', 'sold');
    const mutation = `mutation { createPet(input: ${input}, idempotencyKey: "${key}") { id } }`;
    const { status, json } = await graphql(mutation);
    const errors = [
      {
        message: REUSED,
        locations: [{ line: 1, column: 12 }],
        path: ['createPet'],
        extensions: { code: 'IDEMPOTENCY_KEY_REUSED', status: 422 },
      },
    ];
    expect([status, json]).toEqual([200, { errors, data: { createPet: null } }]);
    expect((await add(key)).text).toBe(once.text);
    expect(await database.pet.count()).toBe(before);
  },
);

test('of two concurrent requests with the same key and different bodies, one succeeds and one gets 422', async () => {
  const key = randomUUID();
  const before = await database.pet.count();
  const answers = await Promise.all([add(key, REX), add(key, IDA, sendToSecond)]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
  expect(await database.pet.count()).toBe(before + 1);
});

test('the idempotency keys of different callers are independent', async () => {
  const key = randomUUID();
  const other = await createKey(database, { name: 'other' });
  const theirs = await add(key, REX, sendTo({ request: requestOf(first.url, other.key) }));
  const mine = await add(key);
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(idIn(theirs)).not.toBe(idIn(mine));
});

test('an idempotency key expires after a day, and not before', async () => {
  const key = randomUUID();
  const once = await add(key);
  const age = (interval: string) => database.$executeRaw`
    UPDATE _gateway_idempotency_keys SET created_at = now() - ${interval}::interval WHERE name = ${key}`;
  await age('23:59');
  expect((await add(key)).text).toBe(once.text);
  await age('24:01');
  const anew = await add(key, IDA);
  expect([anew.status, anew.text.includes('Ida')]).toEqual([201, true]);
  expect((await add(key, IDA)).text).toBe(anew.text);
});

test('a request that is rejected or fails does not claim its idempotency key', async () => {
  const key = randomUUID();
  expect((await add(key, '{"name":"Rex"}')).status).toBe(400);
  await database.$executeRaw`ALTER TABLE pets ADD CONSTRAINT forbidden CHECK (name <> 'Forbidden')`;
  const body = '{"name":"Forbidden","categoryId":1}';
  // Concurrently with a request that succeeds.
  const [failed, beside] = await Promise.all([add(key, body), add(randomUUID())]);
  await database.$executeRaw`ALTER TABLE pets DROP CONSTRAINT forbidden`;
  expect([failed.status, beside.status]).toEqual([400, 201]);
  expect((await add(key, body)).status).toBe(201);
});

test.each(['PATCH', 'DELETE'])(
  'a repeated %s returns the first response and changes nothing, even if its If-Match no longer matches',
  async (method) => {
    const path = await newPet();
    const headers = { ...keyed(randomUUID()), 'If-Match': await tagOf(path) };
    const change = () =>
      method === 'PATCH' ? patch(path, '{"status":"pending"}', headers) : remove(path, headers);
    const once = await change();
    expect([once.status, replayedOf(once)]).toEqual([method === 'PATCH' ? 200 : 204, null]);
    await patch(path, '{"status":"sold"}');
    const before = await first.request(path);
    const again = await change();
    expect([again.status, again.text, replayedOf(again)]).toEqual([once.status, once.text, 'true']);
    expect(await first.request(path)).toMatchObject({ status: before.status, text: before.text });
  },
);

test('the same idempotency key for a different change, animal or operation returns 422', async () => {
  const [path, other] = [await newPet(), await newPet()];
  const key = randomUUID();
  const headers = keyed(key);
  expect((await patch(path, '{"name":"Max"}', headers)).status).toBe(200);
  const refused = await Promise.all([
    patch(path, '{"name":"Moritz"}', headers),
    patch(other, '{"name":"Max"}', headers),
    remove(path, headers),
    add(key),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
  expect((await first.request(path)).text).toContain('"name":"Max"');
  expect((await first.request(other)).text).toContain('"name":"Rex"');
});

test('a change does not claim its idempotency key if the animal is missing or a precondition fails', async () => {
  const path = await newPet();
  const headers = keyed(randomUUID());
  const change = (at: string, tag: string) =>
    patch(at, '{"name":"Max"}', { ...headers, 'If-Match': tag });
  expect((await change('/v1/pets/9223372036854775807', '*')).status).toBe(404);
  expect((await change(path, await tagOf(await newPet()))).status).toBe(412);
  expect((await change(path, await tagOf(path))).status).toBe(200);
});

const creating = (name: string) => `createPet(input: { name: "${name}", categoryId: 1 }) { id }`;
const mutate = (key: string, ...fields: readonly string[]) =>
  graphql(`mutation { ${fields.join(' ')} }`, {}, keyed(key));

test("the header's key applies to each create by its position, whatever its alias", async () => {
  const key = randomUUID();
  const once = await mutate(key, `a: ${creating('Rex')}`, `b: ${creating('Rex')}`);
  expect(new Set(once.text.match(/(?<=")\d+/g)).size).toBe(2);
  // The document is interpreted at first, and compiled when it is repeated.
  const again = await mutate(key, `a: ${creating('Rex')}`, `b: ${creating('Rex')}`);
  const compiled = await mutate(key, `a: ${creating('Rex')}`, `b: ${creating('Rex')}`);
  expect([again.text, compiled.text]).toEqual([once.text, once.text]);
  expect(idIn(await mutate(key, creating('Rex')))).toBe(idIn(once));
  const second = await mutate(key, `c: ${creating('Rex')}`, `d: ${creating('Eve')}`);
  expect(second.text).toContain(`{"c":{"id":"${idIn(once)}"},"d":null}`);
  expect(second.text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
});

function named(alias: string, key: string): string {
  return `${alias}: ${creating('Ada').replace('})', `}, idempotencyKey: "${key}")`)}`;
}

test('Idempotent-Replayed is set if any mutation in an operation is a replay', async () => {
  const [key, other] = [randomUUID(), randomUUID()];
  expect(replayedOf(await graphql(`mutation { ${named('a', key)} }`))).toBeNull();
  const both = await graphql(`mutation { ${named('a', other)} ${named('b', key)} }`);
  expect(replayedOf(both)).toBe('true');
});

test.each([
  'updatePet(id: 999, input: { name: "Bob" })',
  ...['999', '"none"'].map((id) => `deletePet(id: ${id})`),
])('mutations before and after the failing %s take effect once', async (failing) => {
  const [key, name] = [randomUUID(), randomUUID()];
  const fields = [`a: ${creating(name)}`, `b: ${failing} { id }`, `c: ${creating(name)}`];
  const once = await mutate(key, ...fields);
  expect(once).toMatchObject({
    status: 200,
    json: {
      errors: [{ path: ['b'], extensions: { code: 'NOT_FOUND', status: 404 } }],
      data: { a: {}, b: null, c: {} },
    },
  });
  const again = [await mutate(key, ...fields), await mutate(key, ...fields)];
  expect(again.map(({ text }) => text)).toEqual([once.text, once.text]);
  expect(await countOf(name)).toBe(2);
});

test('a very long alias does not fail its own request or concurrent requests', async () => {
  // A text that cannot be compressed, because PostgreSQL's index entries have a limit after compression.
  const alias = Array.from({ length: 150 }, () => `a${randomUUID().replaceAll('-', '')}`).join('');
  const answers = await Promise.all([
    mutate(randomUUID(), creating('Eve'), `${alias}: ${creating('Rex')}`),
    ...Array.from({ length: 20 }, () => mutate(randomUUID(), creating('Ida'))),
  ]);
  expect(answers.map(({ status, text }) => [status, text.includes('errors')])).toEqual(
    answers.map(() => [200, false]),
  );
});

test('an Idempotency-Key in quotes equals the same key without quotes', async () => {
  expect((await add('say-"it')).status).toBe(400);
  const [bare, quoted] = [await add('said'), await add(String.raw`"say \"it\" \\o/"`)];
  expect(quoted.status).toBe(201);
  expect(idIn(await add('"said"'))).toBe(idIn(bare));
  expect(idIn(await add(String.raw`"say \"it\" \\o/"`))).toBe(idIn(quoted));
});

test.each([
  ['empty', ''],
  ['an empty pair of quotes', '""'],
  ['an unterminated quote', '"abc'],
  ['two keys', 'abc, def'],
  ['two quoted keys', '"abc", "def"'],
  ['not ASCII', 'é'],
  ['longer than 255 characters', 'x'.repeat(256)],
])(
  'an Idempotency-Key that is %s returns 400 in both APIs, but REST reads ignore it',
  async (_what, key) => {
    const message = 'Idempotency-Key must be one string of 1 to 255 printable ASCII characters';
    const rest = await add(key);
    expect([rest.status, rest.text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
    const { status, text } = await graphql('{ __typename }', {}, keyed(key));
    expect([status, text]).toEqual([400, graphqlErrorBody(400, 'BAD_USER_INPUT', message)]);
    expect((await first.request('/v1/pets', { headers: keyed(key) })).status).toBe(200);
  },
);

test('an empty idempotencyKey is rejected', async () => {
  const { json } = await graphql(NAMED, { input: { name: 'Ida', categoryId: 1 }, key: '' });
  expect(json).toHaveProperty(
    'errors.0.message',
    'idempotencyKey must be a string of 1 to 255 characters, without NUL or unpaired surrogates',
  );
});

test('an API key in place of an Idempotency-Key is rejected, and not stored', async () => {
  const message = 'Idempotency-Key must not contain an API key';
  const apiKey = generateApiKey();
  for (const [, create] of WAYS) {
    for (const key of [apiKey, `key=${apiKey.replace('_', '%5F')}`]) {
      const { text } = await create(key, { name: 'Rex', categoryId: '1' });
      expect(text).toContain(`"message":"${message}"`);
    }
  }
  expect((await add(apiKey)).text).toBe(errorBody(400, 'BAD_USER_INPUT', message));
  const stored = await first.tables.idempotencyKey.findMany();
  expect(JSON.stringify(stored, ['name'])).not.toContain('asg_');
});
