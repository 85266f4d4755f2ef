import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { WHOLE_ANIMAL } from '../support/animals.ts';
import { startGateway, type Answer } from '../support/gateway.ts';

const LIMIT = 'limit must be an integer between 1 and 100';
const STATUS = 'status must be one of available, pending, sold';
const NAME = 'name must be a string of 1 to 255 characters, without NUL or unpaired surrogates';
const CATEGORY_ID =
  'categoryId must be an integer between -9223372036854775808 and 9223372036854775807';

const LIST = `query($status: PetStatus, $limit: Int) { pets(status: $status, limit: $limit) ${WHOLE_ANIMAL} }`;
const CREATE = `mutation($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`;
const GET = `query($id: ID!) { pet(id: $id) ${WHOLE_ANIMAL} }`;

/** Two stores to which the same is done, one by REST and one by GraphQL, so that they hold the same. */
const rest = await startGateway();
const graph = await startGateway();

type Both = readonly [rest: Answer, graph: Answer];

/** Executes an operation with variables as they stand in JSON. */
const execute = (query: string, variables: string) =>
  graph.post('/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`);
const list = async (search: string, variables: string): Promise<Both> => [
  await rest.request(`/v1/pets${search}`),
  await execute(LIST, variables),
];
const create = async (body: string): Promise<Both> => [
  await rest.post('/v1/pets', body),
  await execute(CREATE, `{"input":${body}}`),
];
const get = async (id: string): Promise<Both> => [
  await rest.request(`/v1/pets/${encodeURIComponent(id)}`),
  await execute(GET, JSON.stringify({ id })),
];

/** REST's status, and the errors of both answers, GraphQL's in REST's form. */
function refusal([{ status, json: error }, { json }]: Both): unknown[] {
  const errors: unknown = isJsonObject(json) ? json['errors'] : undefined;
  return [status, error, ...(Array.isArray(errors) ? errors.map(flattened) : [errors])];
}

function flattened(error: unknown): unknown {
  return isJsonObject(error) && isJsonObject(error['extensions'])
    ? { message: error['message'], ...withoutFaults(error['extensions']) }
    : error;
}

/** GraphQL tells each input's fault as well (test/graphql/input-faults.test.ts). */
function withoutFaults({ faults: _faults, ...extensions }: Record<string, unknown>): object {
  return extensions;
}

/** What REST answers with, its ids as GraphQL's strings. */
const told = ({ text }: Answer): unknown =>
  JSON.parse(text.replaceAll(/(?<="(?:id|categoryId)":)-?\d+/g, '"$&"'));

const added: Both[] = [];
for (const body of [
  '{"name":"Ada","categoryId":9223372036854775807,"status":"sold"}',
  '{"name":"Å🐈\\n","categoryId":-9223372036854775808,"status":"pending"}',
  '{"name":"Cat","categoryId":9007199254740993}',
  '{"status":"sold","categoryId":1e2,"name":"Dan"}',
]) {
  added.push(await create(body));
}

test('both surfaces tell the same of an animal that is added, and of the same when fetched', async () => {
  const animals = added.map(([answer]) => told(answer));
  expect(added.map(([answer]) => answer.status)).toEqual([201, 201, 201, 201]);
  expect(added.map(([, { json }]) => json)).toEqual(
    animals.map((animal) => ({ data: { createPet: animal } })),
  );
  for (const [index, animal] of animals.entries()) {
    const [fetched, queried] = await get(String(index + 1));
    expect([fetched.status, told(fetched), queried.json]).toEqual([
      200,
      animal,
      { data: { pet: animal } },
    ]);
  }
});

test.each([
  ['', '{}', ['Ada', 'Å🐈\n', 'Cat', 'Dan']],
  ['?limit=100', '{"limit":100}', ['Ada', 'Å🐈\n', 'Cat', 'Dan']],
  ['?limit=2', '{"limit":2}', ['Ada', 'Å🐈\n']],
  ['?status=available', '{"status":"available"}', ['Cat']],
  ['?status=sold', '{"status":"sold"}', ['Ada', 'Dan']],
  ['?limit=1&status=sold', '{"status":"sold","limit":1}', ['Ada']],
])('both surfaces list the same: %s', async (search, variables, names) => {
  const [listed, queried] = await list(search, variables);
  expect([listed.status, queried.status]).toEqual([200, 200]);
  expect(queried.json).toEqual({ data: { pets: told(listed) } });
  expect(listed.json).toMatchObject(names.map((name) => ({ name })));
});

test.each<[string, string, () => Promise<Both>]>([
  ['limit 0', LIMIT, () => list('?limit=0', '{"limit":0}')],
  ['limit 101', LIMIT, () => list('?limit=101', '{"limit":101}')],
  ['limit 1.5', LIMIT, () => list('?limit=1.5', '{"limit":1.5}')],
  ['limit five', LIMIT, () => list('?limit=five', '{"limit":"five"}')],
  ['no limit', LIMIT, () => list('?limit=', '{"limit":""}')],
  ['limit 2^32', LIMIT, () => list('?limit=4294967296', '{"limit":4294967296}')],
  ['two limits', LIMIT, () => list('?limit=1&limit=2', '{"limit":[1,2]}')],
  ['status lost', STATUS, () => list('?status=lost', '{"status":"lost"}')],
  ['status Sold', STATUS, () => list('?status=Sold', '{"status":"Sold"}')],
  ['no status', STATUS, () => list('?status=', '{"status":""}')],
  [
    'both',
    `${STATUS}; ${LIMIT}`,
    () => list('?limit=0&status=lost', '{"limit":0,"status":"lost"}'),
  ],
])('both surfaces refuse %s alike', async (_what, message, act) => {
  const error = { code: 'BAD_USER_INPUT', message, status: 400 };
  expect(refusal(await act())).toEqual([400, error, error]);
});

test.each(['5', '0', '-1', 'abc', '007', '+1', '1.0', ' 1', '1\0', '9223372036854775808'])(
  'neither surface finds the animal "%s"',
  async (id) => {
    const error = { code: 'NOT_FOUND', message: 'There is no animal with this id', status: 404 };
    expect(refusal(await get(id))).toEqual([404, error, error]);
  },
);

const named = (name: string) => [`{"name":${name},"categoryId":1}`, NAME];
const categorized = (id: string) => [`{"name":"Rex","categoryId":${id}}`, CATEGORY_ID];
const inStatus = (status: string) => [`{"name":"Rex","categoryId":1,"status":${status}}`, STATUS];

test.each([
  ['{"categoryId":1}', NAME],
  ...[
    ...'null "" 5 9223372036854775807 5.5 true ["Rex"] {"name":"Rex"} "Re\\u0000x"'.split(' '),
    ...'"Rex\\ud83d" "Rex\\ud800" "\\udc00Rex" "\\udc00\\ud800"'.split(' '),
    `"${'x'.repeat(256)}"`,
    `"${'🐈'.repeat(256)}"`,
    // Emoji of two characters each.
    `"${'👍🏽'.repeat(128)}"`,
  ].map(named),
  ['{"name":"Rex"}', CATEGORY_ID],
  ...'null 5.5 9223372036854775808 1e400 "" "x" "05" "five" true false [1] [] {}'
    .split(' ')
    .map(categorized),
  ...[
    '" sold"',
    ...'null "" "lost" "Sold" "__proto__" "\\ud800" 0 true ["sold"] {} 9223372036854775807'.split(
      ' ',
    ),
  ].map(inStatus),
  ['{}', `${NAME}; ${CATEGORY_ID}`],
  ['{"status":"lost","categoryId":1.5,"name":""}', `${NAME}; ${CATEGORY_ID}; ${STATUS}`],
  ['{"name":"\\u0000","categoryId":1,"status":"lost"}', `${NAME}; ${STATUS}`],
])('both surfaces refuse to add %s alike', async (body = '', message = '') => {
  const error = { code: 'BAD_USER_INPUT', message, status: 400 };
  expect(refusal(await create(body))).toEqual([400, error, error]);
});

test('a new animal is available if the variable of its status is not given', async () => {
  const fields = 'name: "Rex", categoryId: 1, status: $s';
  const query = `mutation($s: PetStatus) { createPet(input: { ${fields} }) { status } }`;
  const { text } = await graph.graphql(query);
  expect(text).toBe('{"data":{"createPet":{"status":"available"}}}');
});
