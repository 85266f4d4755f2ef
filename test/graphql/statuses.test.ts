import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { faultsIn } from '../support/error-body.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { connectClient } from '../support/connect-client.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';

const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';
const LIMIT = 'limit must be an integer between 1 and 100';
const TWO = 'query A { __typename } query B { __typename }';

const store = await startGateway();
const trusting = await startGateway({ trustedDocumentsOnly: true });
const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 3600 } });
await limited.request('/graphql?query={__typename}');
const broken = await startGateway();
await broken.database.$executeRaw`DROP TABLE pets`;
const away = await startGateway();
await away.database.$executeRaw`DROP TABLE _gateway_api_keys CASCADE`;

interface Refused {
  readonly message: string;
  readonly locations?: readonly object[];
  readonly extensions: object;
}

const refused = (code: string, message: string, column?: number, more: object = {}): Refused => ({
  message,
  ...(column !== undefined && { locations: [{ line: 1, column }] }),
  extensions: { code, ...more },
});
const syntax = (message: string, column: number) =>
  refused('GRAPHQL_PARSE_FAILED', `Syntax Error: ${message}`, column);
const invalid = (message: string, column: number) =>
  refused('GRAPHQL_VALIDATION_FAILED', message, column);
const badInput = (message: string) => refused('BAD_USER_INPUT', message);
const NO_QUERY = badInput('query must be a string with a GraphQL document');
const NO_OBJECT = badInput('The body must be a JSON object');
const wrongVariables = refused('BAD_USER_INPUT', LIMIT, 7, { faults: faultsIn(LIMIT) });
const UNRESOLVED = refused(
  'OPERATION_RESOLUTION_FAILURE',
  'Could not determine what operation to execute.',
);

type Parameters = Readonly<Record<string, unknown>>;

const post = (body: Parameters | string, headers: NodeRequest['headers'] = {}): NodeRequest => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const get = (parameters: Readonly<Record<string, string>>): string =>
  `/graphql?${String(new URLSearchParams(parameters))}`;
const query = (text: string, others: Parameters = {}) => ({ query: text, ...others });

/** Requests for each row of the table in docs/api.md, identified by the start of the row. */
const REQUESTS: readonly (readonly [
  row: string,
  init: NodeRequest,
  error?: Refused | undefined,
  gateway?: Gateway,
  path?: string,
])[] = [
  ['ran without errors', post(query('{ pets { id } }'))],
  ['ran, and at least one field failed', post(query('{ pet(id: 0) { id } }'))],
  ['ran, and at least one field failed', post(query('{ pets(limit: 0) { id } }'))],
  ['ran, but a failure', post(query('{ pets { id } }')), undefined, broken],
  [
    "has a body that isn't JSON",
    post('{"query":'),
    badInput('The body is not valid JSON at line 1, column 10'),
  ],
  ['is JSON but not a valid request', post('[{"query":"{ __typename }"}]'), NO_OBJECT],
  ['is JSON but not a valid request', post('null'), NO_OBJECT],
  ['is JSON but not a valid request', post(''), NO_QUERY],
  [
    'is JSON but not a valid request',
    post(query('{a}', { variables: [7] })),
    badInput('variables must be a JSON object'),
  ],
  [
    "has a document that doesn't match",
    post(query(`{ ${'a: __typename '.repeat(31)} }`)),
    invalid('The document has 31 aliases; at most 30 are allowed', 1),
  ],
  [
    "has variables that don't match",
    post(query('query($n: Int) { pets(limit: $n) { id } }', { variables: { n: 'x' } })),
    wrongVariables,
  ],
  [
    'does not have an API key',
    post(query('{ __typename }'), { Authorization: '' }),
    refused('UNAUTHENTICATED', 'An API key is required: Authorization: Bearer <API_KEY>'),
  ],
  ["has a document that isn't trusted", post(query('{ __typename }')), undefined, trusting],
  ["names a document that isn't stored", post({ documentId: 'e'.repeat(64) })],
  ['has a method that is not allowed', {}, undefined, store, get({ query: CREATE })],
  ['has a method that is not allowed', { method: 'PUT' }],
  ['accepts neither media type', post(query('{ __typename }'), { Accept: 'text/plain' })],
  ['has a body with an unsupported media type', post('{}', { 'Content-Type': 'text/plain' })],
  [
    'exceeds the rate limit',
    post(query('{ __typename }')),
    refused(
      'TOO_MANY_REQUESTS',
      'Too many requests with this API key: see Retry-After for when to continue',
    ),
    limited,
  ],
  ['could not be executed', post(query('{ __typename }')), undefined, away],
  ...(
    [
      ...['{', '{}}', 'x', '[]', '"{}"', '5', '['.repeat(2000)].map(
        (value) => ['variables', value] as const,
      ),
      ['extensions', '{'],
      ['extensions', '[]'],
    ] as const
  ).map(
    ([name, value]) =>
      [
        'is JSON but not a valid request',
        {},
        badInput(`${name} must be a JSON object`),
        store,
        get({ query: '{ __typename }', [name]: value }),
      ] as const,
  ),
  ...(
    [
      [
        'has a document with a syntax error',
        { query: '{' },
        syntax('Expected Name, found <EOF>.', 2),
      ],
      ['has a document with a syntax error', { query: '' }, syntax('Unexpected <EOF>.', 1)],
      ['is JSON but not a valid request', { operationName: 'A' }, NO_QUERY],
      [
        "has a document that doesn't match",
        { query: '{ nope }' },
        invalid('Cannot query field "nope" on type "Query".', 3),
      ],
      [
        "has a document that doesn't match",
        { query: 'subscription { pets { id } }' },
        invalid('The schema has no subscription operations.', 1),
      ],
      [
        "has a document that doesn't match",
        { query: '{ pets(status: lost) { id } }' },
        invalid('Value "lost" does not exist in "PetStatus" enum.', 16),
      ],
      [
        "has variables that don't match",
        { query: 'query($n: Int!) { pets(limit: $n) { id } }' },
        wrongVariables,
      ],
      ["doesn't say which", { query: TWO }, UNRESOLVED],
      ["doesn't say which", { query: TWO, operationName: 'C' }, UNRESOLVED],
      ["doesn't say which", { query: TWO, operationName: '__proto__' }, UNRESOLVED],
      ["doesn't say which", { query: '{ __typename }', operationName: 'A' }, UNRESOLVED],
      ["doesn't say which", { query: 'fragment F on Pet { id }' }, UNRESOLVED],
    ] as const
  ).flatMap(([row, parameters, error]) => [
    [row, post(parameters), error] as const,
    [row, {}, error, store, get({ ...parameters })] as const,
  ]),
];

const [, section = ''] = (
  await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')
).split('\n### Statuses\n');
const [, , ...rows] = Array.from(section.matchAll(/^\|(.*)\|$/gm), ([, cells = '']) =>
  cells.split('|').map((cell) => cell.trim()),
);

/** The statuses of error codes in docs/errors.md that do not depend on the media type. */
const OF_CODES = [
  ["has a body that isn't JSON", '400'],
  ['does not have an API key', '401'],
  ["has a document that isn't trusted", '403'],
  ['has a method that is not allowed', '405'],
  ['accepts neither media type', '406'],
  ['has a body with an unsupported media type', '415'],
  ['exceeds the rate limit', '429'],
  ['could not be executed', '500 or 503'],
].map(([row, status]) => [row, status, status]);

test.each([...rows, ...OF_CODES])(
  'a request that %s returns %s, or %s as application/json, as documented',
  async (row = '', ...statuses) => {
    const requests = REQUESTS.filter(([start]) => row.startsWith(start));
    for (const [index, type] of [
      'application/graphql-response+json',
      'application/json',
    ].entries()) {
      for (const [, init, error, gateway = store, path = '/graphql'] of requests) {
        const headers = { Accept: type, ...init.headers };
        const answer = await nodeRequest(gateway, path, { ...init, headers });
        const { status, headers: received, text } = answer;
        expect(statuses[index]?.split(' or ')).toContain(String(status));
        // If the response is 200, the error has the status of its code.
        const extensions = { ...error?.extensions, status: status === 200 ? 400 : status };
        const expected = error && { errors: [{ ...error, extensions }] };
        expect(error && [received.get('Content-Type'), JSON.parse(text)]).toEqual(
          error && [`${type}; charset=utf-8`, expected],
        );
      }
    }
    expect(requests).not.toEqual([]);
  },
);

test.each(['', 'null', '{}', ' {} '])(
  '?variables=%s is read as no variables',
  async (variables) => {
    const path = get({ query: '{ __typename }', variables, operationName: '' });
    const { status, text } = await nodeRequest(store, path);
    expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
  },
);

const RESPONSE_TYPE = 'application/graphql-response+json';
const failure = (extensions: object) => [expect.objectContaining({ extensions }) as unknown];
const NOT_FOUND = failure({ code: 'NOT_FOUND', status: 404 });
const UNAVAILABLE = failure({ code: 'SERVICE_UNAVAILABLE', status: 503 });

const send = ({ graphql }: Gateway, text: string, accept = RESPONSE_TYPE) =>
  graphql(text, {}, { Accept: accept });

test.each([
  ['{ pet(id: 0) { id } pets { __typename } }', { pet: null, pets: [] }, NOT_FOUND],
  ['{ pet(id: 0) { id } }', { pet: null }, NOT_FOUND],
  ['{ pets(limit: 0) { id } }', null, [expect.objectContaining({ path: ['pets'] }) as unknown]],
])(
  '%s returns 294, whether interpreted, compiled or trusted, and 200 as application/json',
  async (text, data, errors) => {
    // The third request runs the compiled operation.
    for (let time = 1; time <= 3; time += 1) {
      const { status, headers, json } = await send(store, text);
      expect([status, json]).toEqual([294, { errors, data }]);
      expect(headers.get('Content-Type')).toBe(`${RESPONSE_TYPE}; charset=utf-8`);
      const legacy = await send(store, text, 'application/json');
      expect(legacy).toMatchObject({ status: 200, json: { data } });
    }
    const hash = 'f'.repeat(64);
    const { tables, databaseUrl, key } = store;
    const stored = { hash, document: text };
    await tables.trustedDocument.upsert({ where: { hash }, create: stored, update: stored });
    const other = await startGateway({ databaseUrl });
    const trusted = await other.request(`/graphql?documentId=${hash}`, {
      headers: { Authorization: `Bearer ${key}`, Accept: RESPONSE_TYPE },
    });
    expect([trusted.status, trusted.json]).toEqual([294, { errors, data }]);
  },
);

test('294 has the reason phrase Partial Success', async () => {
  const headers = { Authorization: `Bearer ${store.key}`, Accept: RESPONSE_TYPE };
  const response = await fetch(store.url + get({ query: '{ pet(id: 0) { id } }' }), { headers });
  expect([response.status, response.statusText]).toEqual([294, 'Partial Success']);
});

test('a service failure in a response with data returns 294 with Retry-After', async () => {
  const { database } = store;
  await database.$executeRaw`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no animals' USING ERRCODE = '53100'; END $$`;
  await database.$executeRaw`
    CREATE TRIGGER refuse BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION refuse()`;
  const partial = await send(store, CREATE);
  expect([partial.status, partial.json]).toEqual([
    294,
    { errors: UNAVAILABLE, data: { createPet: null } },
  ]);
  expect(partial.headers.get('Retry-After')).toBe('1');
  const legacy = await send(store, CREATE, 'application/json');
  expect([legacy.status, legacy.json]).toEqual([503, { errors: UNAVAILABLE }]);
  await database.$executeRaw`DROP FUNCTION refuse CASCADE`;
});

test('an operation that times out without a result returns 503 with Retry-After', async () => {
  const impatient = await startGateway({ requestTimeout: 500 });
  await send(impatient, '{ __typename }');
  const locking = await connectClient(impatient.databaseUrl);
  await locking.query('BEGIN; LOCK TABLE pets');
  const { status, headers, json } = await send(impatient, '{ pets { id } }');
  await locking.query('ROLLBACK');
  expect([status, headers.get('Retry-After'), json]).toEqual([503, '1', { errors: UNAVAILABLE }]);
});
