import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const { url } = await startGateway();
const REFUSED = errorBody(400, 'BAD_USER_INPUT', 'The request is not well-formed HTTP/1.1');

test.each([
  ['of HTTP/2.0', 'GET /v1/pets HTTP/2.0\r\nHost: store\r\n\r\n'],
  ['of HTTP/0.9', 'GET /v1/pets HTTP/0.9\r\nHost: store\r\n\r\n'],
  ['of HTTP/2.0, as a probe', 'GET /livez HTTP/2.0\r\nHost: store\r\n\r\n'],
  ['compressed and then chunked', head('POST /v1/pets', 'Transfer-Encoding: gzip, chunked')],
  [
    'of two transfer codings',
    head('POST /v1/pets', 'Transfer-Encoding: identity', 'Transfer-Encoding: chunked'),
  ],
])('a request %s is refused, as the last on its connection', async (_what, bytes) => {
  const connection = await rawConnection(url);
  connection.send(bytes);
  const answers = await connection.last();
  expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([[400, REFUSED]]);
});
