import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';

const { url } = await startGateway();

const UNKNOWN = [
  501,
  errorBody(501, 'NOT_IMPLEMENTED', 'No address of this service supports this method'),
];

test.each([
  ['alone', '', []],
  ['behind another request', head('GET /livez'), [200]],
])('a method that nobody knows is 501, %s', async (_where, before, statuses) => {
  const connection = await rawConnection(url);
  connection.send(before + head('FETCH /v1/pets') + head('GET /livez'));
  const answers = await connection.last();
  const last = answers.at(-1);
  expect(answers.slice(0, -1).map(({ status }) => status)).toEqual(statuses);
  expect([last?.status, last?.body.toString()]).toEqual(UNKNOWN);
});

test.each(['FETCH', '{"a":1} / HTTP/1.1\r\n\r\n', 'FETCH /v1/pets\r\n\r\n'])(
  'what is no request line is malformed: %j',
  async (bytes) => {
    const connection = await rawConnection(url);
    connection.send(bytes);
    expect((await connection.last()).map(({ status }) => status)).toEqual([400]);
  },
);
