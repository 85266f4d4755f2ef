import { generateApiKey } from '../support/store-database.ts';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { sendBytes } from '../support/http-answers.ts';

const databaseUrl = await newDatabase();
const proxy = await startDatabaseProxy(databaseUrl);
const client = new Client({ connectionString: databaseUrl });
await client.connect();
const service = await startPatientService({
  DATABASE_URL: proxy.url,
  LOG_LEVEL: 'trace',
  FAILED_AUTH_LIMIT: 'off',
  METRICS_PORT: '0',
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await client.end();
});

const good = await firstKey(service);
/** The output before the first request, the only place where the first key is shown. */
const greeting = service.child.stderr();
const unknown = generateApiKey();

const metricsLine = await service.child.line('stdout', (line) =>
  line.includes('"msg":"serving metrics"'),
);
const [, metricsUrl = ''] = /"url":"([^"]+)"/.exec(metricsLine) ?? [];

let requests = 0;
/** All responses so far. */
let answered = '';

interface Sent {
  readonly target?: string;
  readonly headers?: string;
  readonly body?: string;
}

/** Sends a request, with the valid key unless the headers contain an Authorization. Resolves to the status. */
async function send(method: string, { target = '/v1/pets', headers = '', body = '' }: Sent = {}) {
  requests += 1;
  const authorization = /^authorization:/im.test(headers)
    ? ''
    : `Authorization: Bearer ${good}\r\n`;
  const type = /^content-type:/im.test(headers) ? '' : 'Content-Type: application/json\r\n';
  const length = Buffer.byteLength(body, 'latin1');
  const bytes = `${method} ${target} HTTP/1.1\r\nHost: x\r\n${authorization}${type}${headers}Content-Length: ${length}\r\n\r\n${body}`;
  const [answer] = await sendBytes(service.url, bytes, [method]);
  for (const [name, value] of answer?.headers ?? []) {
    answered += `${name}: ${value}\n`;
  }
  answered += `${answer?.body.toString('latin1') ?? ''}\n`;
  return answer?.status;
}

/** Each key, its secret part, and most of that part. */
const secrets = [good, unknown].flatMap((key) => [key, key.slice(4, 47), key.slice(8, 40)]);

function secretsIn(text: string): string[] {
  return secrets.filter((secret) => text.includes(secret));
}

async function expectKept(): Promise<void> {
  // When this request is logged, all earlier lines have been written.
  const requestId = `last-${requests}`;
  await send('GET', { target: '/v1', headers: `X-Request-Id: ${requestId}\r\n` });
  await service.child.line('stdout', (line) => line.includes(`"requestId":"${requestId}"`));
  expect(answered.split('\n').filter((line) => secretsIn(line).length > 0)).toEqual([]);
  const metrics = await (await fetch(metricsUrl)).text();
  expect(metrics).toContain('animal_store');
  expect(secretsIn(metrics)).toEqual([]);
  expect(secretsIn(service.child.stdout())).toEqual([]);
  expect(secretsIn(service.child.stderr().slice(greeting.length))).toEqual([]);
}

const query = (text: string) => `/graphql?query=${encodeURIComponent(text)}`;

const graphql = (body: object) => ({ target: '/graphql', body: JSON.stringify(body) });

/** Requests that contain a key in every possible place, with their status. @param header the key's Authorization line */
function placesOf(key: string, header: string): [status: number, method: string, Sent][] {
  const [known, accepted] = key === good ? [200, 400] : [401, 401];
  const listing = 'query ($a: Int!) { pets(limit: $a) { id } }';
  return [
    [known, 'GET', { headers: header }],
    [known, 'HEAD', { headers: header }],
    [401, 'GET', { headers: `Authorization: Basic ${key}\r\n` }],
    [401, 'GET', { headers: `Authorization: Bearer ${key}x\r\n` }],
    [401, 'GET', { headers: `${header}${header}` }],
    // In the URL.
    [200, 'GET', { target: `/v1/pets?key=${key}` }],
    [400, 'GET', { target: `/v1/pets?limit=${key}` }],
    [400, 'GET', { target: `/v1/pets?status=${key}&after=${key}` }],
    [404, 'GET', { target: `/v1/pets/${key}` }],
    [404, 'GET', { target: `/${key}` }],
    [404, 'GET', { target: `/Bearer%20${key}` }],
    [404, 'GET', { target: `/v1/pets/${key.replace('_', '%5F')}` }],
    [200, 'GET', { target: `/readyz?key=${key.replace('a', '%61')}` }],
    [401, 'GET', { target: `http://${key}@x/v1/pets`, headers: 'Authorization: x\r\n' }],
    [404, 'DELETE', { target: `/v1/pets/${key}` }],
    // In other headers.
    [200, 'GET', { headers: `X-Request-Id: ${key}\r\n` }],
    [200, 'GET', { headers: `traceparent: 00-${key}-${key}-01\r\nBaggage: k=${key}\r\n` }],
    [200, 'GET', { headers: `Origin: https://${key}\r\nReferer: ${key}\r\n` }],
    [200, 'GET', { headers: `Cookie: key=${key}\r\nUser-Agent: ${key}\r\n` }],
    [406, 'GET', { headers: `Accept: ${key}/${key}\r\n` }],
    [400, 'POST', { headers: `Idempotency-Key: ${key} ${key}\r\n`, body: '{}' }],
    [415, 'POST', { headers: `Content-Type: ${key}/x\r\n`, body: 'x' }],
    [415, 'POST', { headers: `Content-Encoding: ${key}\r\n`, body: 'x' }],
    [accepted, 'POST', { headers: `Expect: ${key}\r\n${header}`, body: '{}' }],
    // In bodies.
    [400, 'POST', { body: key }],
    [400, 'POST', { body: `{"name":["${key}"],"categoryId":"${key}"}` }],
    [413, 'POST', { body: `{"name":"${key.repeat(2500)}"}` }],
    [200, 'POST', graphql({ query: key })],
    [200, 'POST', graphql({ query: `{ ${key} }` })],
    [200, 'POST', graphql({ query: `{ pets { ...${key} } }` })],
    [200, 'POST', graphql({ query: `{ pets(status: ${key}) { id } }` })],
    [200, 'POST', graphql({ query: `{ pet(id: "${key}") { id } }` })],
    [200, 'POST', graphql({ query: listing, variables: { a: key, b: { [key]: 1 } } })],
    [400, 'POST', graphql({ query: '{__typename}', operationName: key })],
    [400, 'POST', graphql({ documentId: key })],
    [200, 'GET', { target: query(`{ ${key} }`) }],
    [400, 'GET', { target: `${query('{__typename}')}&variables=${key}` }],
    // In malformed requests.
    [501, key, {}],
    [400, 'GET', { target: `/${key} ${key}` }],
    [400, 'GET', { headers: `${key}\r\n` }],
    [431, 'GET', { headers: `${header}X: ${'y'.repeat(70_000)}\r\n` }],
    [431, 'GET', { headers: `X: ${key.repeat(1400)}\r\n` }],
  ];
}

test.each([
  ['a valid key', good],
  ['an invalid key', unknown],
])('no response, log line or metric contains %s, wherever it was sent', async (_what, key) => {
  for (const [status, method, sent] of placesOf(key, `Authorization: Bearer ${key}\r\n`)) {
    expect([method, sent, await send(method, sent)]).toEqual([method, sent, status]);
  }
  await expectKept();
});

test('no response, log line or metric contains a valid key after an internal error or during an outage', async () => {
  const header = `Authorization: Bearer ${good}\r\n`;
  const body = `{"name":"a name","categoryId":1,"key":"${good}"}`;
  const create = JSON.stringify({
    query: 'mutation ($k: String!) { createPet(input: { name: $k, categoryId: 1 }) { id } }',
    variables: { k: good },
  });
  const failures = () =>
    Promise.all([
      send('GET', { headers: header, target: `/v1/pets?key=${good}` }),
      send('POST', { headers: header, body }),
      send('POST', { headers: header, body: `{"name":"${good}","categoryId":1}` }),
      send('POST', { headers: header, target: '/graphql', body: create }),
      send('GET', { headers: header, target: query(`{ ${good}: pets { categoryId } }`) }),
    ]);
  await client.query('ALTER TABLE pets RENAME COLUMN category_id TO category');
  expect(await failures()).toEqual([500, 500, 500, 500, 500]);
  await client.query('ALTER TABLE pets RENAME COLUMN category TO category_id');
  await proxy[Symbol.asyncDispose]();
  expect(await failures()).toEqual([503, 503, 503, 503, 503]);
  await expectKept();
});
