import { generateApiKey } from '../support/store-database.ts';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { idIn, operation, sendNamed, type NamedRequest } from '../support/named-request.ts';

const gateway = await startGateway();

const REX = '{"name":"Rex","categoryId":9223372036854775807}';
const CREATE = 'mutation($input: NewPet!) { createPet(input: $input) { id name } }';
const REUSED = 'This Idempotency-Key was already used to add another animal';

const send = (sent: Partial<NamedRequest>) => sendNamed(gateway, { body: REX, ...sent });

test('with Idempotency-Key, GraphQL adds once for any selection, and REST shares its keys', async () => {
  const key = randomUUID();
  const input = { name: 'Rex', categoryId: '9223372036854775807' };
  const once = await send({ key, ...operation(CREATE, { input }) });
  const again = await send({ key, ...operation(CREATE.replace('name', 'categoryId'), { input }) });
  expect([once.status, idIn(again)]).toEqual([200, idIn(once)]);
  expect(idIn(await send({ key }))).toBe(idIn(once));
});

test('idempotencyKey works like the header, and without either each call adds', async () => {
  const key = randomUUID();
  const named = CREATE.replace('input: $input', `input: $input, idempotencyKey: "${key}"`);
  const input = { name: 'Rex', categoryId: '9223372036854775807' };
  const once = await send(operation(named, { input }));
  const ids = [
    idIn(await send(operation(named, { input }))),
    // The argument is nearer to what it names.
    idIn(await send({ key: randomUUID(), ...operation(named, { input }) })),
    idIn(await send({ key })),
  ];
  expect(ids).toEqual(ids.map(() => idIn(once)));
  const unnamed = await send(operation(CREATE, { input }));
  expect(idIn(unnamed)).not.toBe(idIn(once));
});

test('idempotencyKey with another animal fails with 422', async () => {
  const key = randomUUID();
  await send({ key });
  const { status, text } = await send(
    operation(
      `mutation { createPet(input: { name: "Ida", categoryId: 1 }, idempotencyKey: "${key}") { id } }`,
    ),
  );
  const errors = [
    {
      message: REUSED,
      locations: [{ line: 1, column: 12 }],
      path: ['createPet'],
      extensions: { code: 'IDEMPOTENCY_KEY_REUSED', status: 422 },
    },
  ];
  expect([status, text]).toEqual([200, JSON.stringify({ errors, data: { createPet: null } })]);
});

const create = (alias: string, name: string) =>
  `${alias}createPet(input: { name: "${name}", categoryId: 1 }) { id }`;

const both = (names: readonly string[]) =>
  operation(`mutation { ${names.map((name, index) => create(`a${index}: `, name)).join(' ')} }`);

test("the header's key doesn't depend on aliases", async () => {
  const key = randomUUID();
  const sendAs = (alias: string, name: string) =>
    send({ key, ...operation(`mutation { ${create(alias, name)} }`) });
  const once = await sendAs('', 'Rex');
  expect(idIn(await sendAs('again: ', 'Rex'))).toBe(idIn(once));
  expect((await sendAs('other: ', 'Ida')).text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
});

test("the header's key applies to each of several creates by its place", async () => {
  const key = randomUUID();
  const once = await send({ key, ...both(['Rex', 'Rex']) });
  expect(new Set(once.text.match(/(?<=")\d+/g)).size).toBe(2);
  // It is executed by reference first, and compiled when it comes again.
  const again = await send({ key, ...both(['Rex', 'Rex']) });
  const compiled = await send({ key, ...both(['Rex', 'Rex']) });
  expect([again.text, compiled.text]).toEqual([once.text, once.text]);
  const second = await send({ key, ...both(['Rex', 'Eve']) });
  expect(second.text).toContain('"path":["a1"]');
  expect(second.text).toContain('"code":"IDEMPOTENCY_KEY_REUSED"');
});

const sendAlone = (...fields: readonly string[]) =>
  send({ key: randomUUID(), ...operation(`mutation { ${fields.join(' ')} }`) });

test('a very long alias fails neither its request nor concurrent ones', async () => {
  // What cannot be compressed: PostgreSQL takes so much less into an index.
  const alias = Array.from({ length: 150 }, () => `a${randomUUID().replaceAll('-', '')}`).join('');
  const answers = await Promise.all([
    sendAlone(create('', 'Eve'), create(`${alias}: `, 'Rex')),
    ...Array.from({ length: 20 }, () => sendAlone(create('', 'Ida'))),
  ]);
  expect(answers.map(({ status, text }) => [status, text.includes('errors')])).toEqual(
    answers.map(() => [200, false]),
  );
});

const createAda = (alias: string, idempotencyKey: string) =>
  `${alias}: createPet(input: { name: "Ada", categoryId: 1 }, idempotencyKey: "${idempotencyKey}") { id }`;

test('Idempotent-Replayed is set for a replay; in GraphQL, if any mutation is one', async () => {
  const [key, other] = [randomUUID(), randomUUID()];
  const replayed = async (...fields: readonly string[]) => {
    const { headers } = await send(operation(`mutation { ${fields.join(' ')} }`));
    return headers.get('Idempotent-Replayed');
  };
  expect(await replayed(createAda('a', key))).toBeNull();
  expect(await replayed(createAda('a', key))).toBe('true');
  expect(await replayed(createAda('a', other), createAda('b', key))).toBe('true');
  const overRest = await send({ key, body: '{"name":"Ada","categoryId":1}' });
  expect(overRest.headers.get('Idempotent-Replayed')).toBe('true');
  const refused = await send({ key, body: '{"name":"Ida","categoryId":1}' });
  expect([refused.status, refused.headers.has('Idempotent-Replayed')]).toEqual([422, false]);
});

test('a key is the same with and without quotes', async () => {
  const once = await send({ key: 'say-"it' });
  expect(once.status).toBe(400);
  const bare = await send({ key: 'said' });
  expect(idIn(await send({ key: '"said"' }))).toBe(idIn(bare));
  const quoted = await send({ key: String.raw`"say \"it\" \\o/"` });
  expect([quoted.status, idIn(await send({ key: String.raw`"say \"it\" \\o/"` }))]).toEqual([
    201,
    idIn(quoted),
  ]);
});

test.each([
  ['empty', ''],
  ['quotes around nothing', '""'],
  ['a quote that does not end', '"abc'],
  ['two of them', 'abc, def'],
  ['two of them in quotes', '"abc", "def"'],
  ['not ASCII', 'é'],
  ['longer than 255', 'x'.repeat(256)],
])('a key that is %s returns 400 in both APIs', async (_what, key) => {
  const message = 'Idempotency-Key must be one string of 1 to 255 printable ASCII characters';
  const rest = await send({ key });
  expect([rest.status, rest.text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
  const graphql = await send({ key, ...operation('{ __typename }') });
  expect([graphql.status, graphql.text]).toEqual([
    400,
    graphqlErrorBody(400, 'BAD_USER_INPUT', message),
  ]);
});

test('an empty idempotencyKey is rejected', async () => {
  const { json } = await send(
    operation(
      'mutation { createPet(input: { name: "Ida", categoryId: 1 }, idempotencyKey: "") { id } }',
    ),
  );
  expect(json).toHaveProperty(
    'errors.0.message',
    'idempotencyKey must be a string of 1 to 255 characters, without NUL or unpaired surrogates',
  );
});

test('reads ignore Idempotency-Key', async () => {
  const { status } = await gateway.request('/v1/pets', { headers: { 'Idempotency-Key': '""' } });
  expect(status).toBe(200);
});

test('an API key in place of an Idempotency-Key is rejected, and not stored', async () => {
  const message = 'Idempotency-Key must not contain an API key';
  const apiKey = generateApiKey();
  const input = { name: 'Rex', categoryId: '1' };
  const mutation = operation(CREATE, { input });
  const named = operation(CREATE.replace('input: $input', '$&, idempotencyKey: "' + apiKey + '"'), {
    input,
  });
  for (const key of [apiKey, `key=${apiKey.replace('_', '%5F')}`]) {
    const { status, text } = await send({ key });
    expect([status, text]).toEqual([400, errorBody(400, 'BAD_USER_INPUT', message)]);
  }
  for (const sent of [{ key: apiKey, ...mutation }, named]) {
    expect((await send(sent)).text).toContain(`"message":"${message}"`);
  }
  const stored = await gateway.tables.idempotencyKey.findMany();
  expect(JSON.stringify(stored, ['name'])).not.toContain('asg_');
});
