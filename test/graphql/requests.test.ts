import { expect, test } from 'vitest';
import { graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { nodeRequest, type NodeRequest } from '../support/node-request.ts';
import { wrongBody } from '../support/wrong-body.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CREATE = 'mutation { createPet(input: { name: "Rex", categoryId: 1 }) { id } }';
const BODY = JSON.stringify({ query: CREATE });

/** Whatever is sent here is to be refused: at the end of each test there is no animal. */
const gateway = await startGateway();
const { database } = gateway;

const refusal = async (path: string, init: NodeRequest) => {
  const { status, headers, text } = await nodeRequest(gateway, path, init);
  return { status, allow: headers.get('Allow'), text, animals: await database.pet.count() };
};
const refused = (status: number, code: string, message: string, allow: string | null = null) => ({
  status,
  allow,
  text: graphqlErrorBody(status, code, message),
  animals: 0,
});

const notJson = (column: number) =>
  refused(400, 'BAD_USER_INPUT', `The body is not valid JSON at line 1, column ${column}`);
const NO_OBJECT = refused(400, 'BAD_USER_INPUT', 'The body must be a JSON object');
const NO_QUERY = refused(400, 'BAD_USER_INPUT', 'query must be a string with a GraphQL document');

test('what these tests send creates an animal when sent as GraphQL over HTTP has it', async () => {
  const control = await startGateway();
  const { text } = await nodeRequest(control, '/graphql', {
    method: 'POST',
    headers: JSON_TYPE,
    body: BODY,
  });
  expect([text, await control.database.pet.count()]).toEqual([
    '{"data":{"createPet":{"id":"1"}}}',
    1,
  ]);
});

test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND'])(
  '%s is 405, and Allow tells what is not',
  async (method) => {
    // Node's client frames a body of these methods only when it is told how long it is.
    const headers = { ...JSON_TYPE, 'Content-Length': BODY.length };
    expect(await refusal('/graphql', { method, headers, body: BODY })).toEqual(
      refused(
        405,
        'METHOD_NOT_ALLOWED',
        'This address accepts GET, HEAD, POST, OPTIONS',
        'GET, HEAD, POST, OPTIONS',
      ),
    );
  },
);

test('a mutation over GET is 405, and Allow tells POST', async () => {
  const parameters = new URLSearchParams({
    query: `query A { __typename } ${CREATE.replace('mutation', 'mutation B')}`,
    operationName: 'B',
  });
  expect(await refusal(`/graphql?${String(parameters)}`, {})).toEqual(
    refused(
      405,
      'METHOD_NOT_ALLOWED',
      'Can only perform a mutation operation from a POST request.',
      'POST',
    ),
  );
});

test('a mutation over HEAD is 405', async () => {
  const parameters = new URLSearchParams({ query: CREATE });
  expect(await refusal(`/graphql?${String(parameters)}`, { method: 'HEAD' })).toEqual({
    status: 405,
    allow: 'POST',
    text: '',
    animals: 0,
  });
});

test('HEAD is GET without the body', async () => {
  const { status, headers, text } = await nodeRequest(gateway, '/graphql?query={__typename}', {
    method: 'HEAD',
  });
  expect([status, headers.get('Content-Type'), headers.get('Content-Length'), text]).toEqual([
    200,
    'application/json; charset=utf-8',
    '31',
    '',
  ]);
});

const FORM = `query=${encodeURIComponent(CREATE)}`;
const MULTIPART = [
  '--x\r\nContent-Disposition: form-data; name="operations"\r\n',
  BODY,
  '--x\r\nContent-Disposition: form-data; name="map"\r\n',
  '{"0":["variables.x"]}',
  '--x\r\nContent-Disposition: form-data; name="0"; filename="x"\r\n',
  '--x--\r\n',
].join('\r\n');

// What a page of another origin can make a browser send without asking first.
test.each([
  ['text/plain', BODY],
  ['text/plain; application/json', BODY],
  ['application/x-www-form-urlencoded', FORM],
  ['application/x-www-form-urlencoded', BODY],
  ['multipart/form-data; boundary=x', MULTIPART],
  ['application/graphql', CREATE],
  ['', BODY],
  [undefined, BODY],
])('a POST of %s is 415', async (type, body) => {
  const headers = { ...(type === undefined ? {} : { 'Content-Type': type }), Origin: 'http://x' };
  expect(await refusal('/graphql', { method: 'POST', headers, body })).toEqual(
    refused(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      wrongBody('Content-Type', type?.split(';')[0] || undefined),
    ),
  );
});

test("a POST's query string is no operation", async () => {
  const path = `/graphql?${FORM}`;
  expect(await refusal(path, { method: 'POST' })).toEqual(NO_QUERY);
  const post = { method: 'POST', headers: JSON_TYPE, body: '{}' };
  expect(await refusal(path, post)).toEqual(NO_QUERY);
});

test.each([
  ['no JSON', BODY.slice(0, -1), notJson(BODY.length)],
  ['two values', `${BODY}{}`, notJson(BODY.length + 1)],
  ['a document', CREATE, notJson(1)],
  ['empty', '', NO_QUERY],
  ['a batch', `[${BODY},${BODY}]`, NO_OBJECT],
  ['a batch of one', `[${BODY}]`, NO_OBJECT],
  ['a string', JSON.stringify(CREATE), NO_OBJECT],
  ['null', 'null', NO_OBJECT],
  ['an object without query', '{"mutation":""}', NO_QUERY],
  ['an object with query in __proto__', `{"__proto__":${BODY}}`, NO_QUERY],
  [
    'larger than 100,000 bytes',
    BODY.padEnd(100_001),
    refused(413, 'PAYLOAD_TOO_LARGE', 'The body is larger than 100000 bytes'),
  ],
  [
    'not UTF-8',
    Buffer.from(BODY.replace('Rex', 'R\u00e9x'), 'latin1'),
    refused(400, 'BAD_USER_INPUT', 'The body is not valid UTF-8'),
  ],
])('a body that is %s is refused', async (_what, body, expected) => {
  const post = { method: 'POST', headers: JSON_TYPE, body };
  expect(await refusal('/graphql', post)).toEqual(expected);
});

test('a body may have 100,000 bytes', async () => {
  const { status, text } = await nodeRequest(gateway, '/graphql', {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"query":"{ __typename }"}'.padEnd(100_000),
  });
  expect([status, text]).toEqual([200, '{"data":{"__typename":"Query"}}']);
});

test('a mutation whose answer is not wanted is not executed', async () => {
  const headers = { ...JSON_TYPE, Accept: 'text/plain' };
  const answer = await refusal('/graphql', { method: 'POST', headers, body: BODY });
  expect([answer.status, answer.animals]).toEqual([406, 0]);
});

test('no page of another origin is let in', async () => {
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await nodeRequest(gateway, '/graphql?query={__typename}', {
      method,
      headers: { Origin: 'http://x', 'Access-Control-Request-Method': 'POST' },
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test.each(['query', 'documentId', 'operationName', 'variables', 'extensions'])(
  'a GET that tells %s twice is refused: others may read the other one',
  async (name) => {
    const path = `/graphql?query={__typename}&${name}=&${name}=`;
    const { status, text } = await gateway.request(path);
    const message = `${name} must not be repeated`;
    expect([status, text]).toEqual([400, graphqlErrorBody(400, 'BAD_USER_INPUT', message)]);
  },
);
