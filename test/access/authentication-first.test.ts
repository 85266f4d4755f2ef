import { generateApiKey } from '../support/store-database.ts';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { errorBody, graphqlErrorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const { url, request } = await startGateway();

describe.each([
  { path: '/v1/pets', bodyOf: errorBody },
  { path: '/graphql', bodyOf: graphqlErrorBody },
])('a POST to $path', ({ path, bodyOf }) => {
  test.each([
    { what: 'malformed JSON', body: '{"name":', headers: {} },
    { what: 'JSON that is no object', body: '[]', headers: {} },
    { what: 'a body of another type', body: 'x', headers: { 'Content-Type': 'text/plain' } },
    { what: 'a body that is too large', body: ' '.repeat(200_000), headers: {} },
    { what: 'an Accept that nothing meets', body: '{}', headers: { Accept: 'image/png' } },
  ])('with a bad key and $what is 401', async ({ body, headers }) => {
    const { status, text } = await request(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${generateApiKey()}`,
        ...headers,
      },
      body,
    });
    expect([status, text]).toEqual([
      401,
      bodyOf(401, 'UNAUTHENTICATED', 'The API key is not valid'),
    ]);
  });

  test.each([
    { what: 'a length', headers: { 'Content-Length': 90_000 } },
    { what: 'no length', headers: { 'Transfer-Encoding': 'chunked' } },
    {
      what: 'an Expect for a body',
      headers: { 'Content-Length': 90_000, Expect: '100-continue' },
    },
  ])(
    'without a key, of which only the headers are sent, with $what, is 401',
    async ({ headers }) => {
      const outgoing = httpRequest(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
      });
      onTestFinished(() => {
        outgoing.on('error', () => undefined).destroy();
      });
      let continued = false;
      outgoing.once('continue', () => (continued = true));
      const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
        outgoing.once('response', resolve).once('error', reject).flushHeaders();
      });
      expect({ statusCode, continued }).toEqual({ statusCode: 401, continued: false });
    },
  );
});
