import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { head, rawConnection } from '../support/raw-connection.ts';
import { isResetBySending } from '../support/reset-by-sending.ts';

const gateway = await startGateway();
const KEY = `Authorization: Bearer ${gateway.key}`;
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const LAST = 'Connection: close';
const LARGE = 'Content-Length: 200000';

test.each<[string, string, number]>([
  ['a request that says it is the last', head('GET /nowhere', LAST), 404],
  ['such a request, with more behind it at once', `${head('GET /nowhere', LAST)}more`, 404],
  ['a request without a version', 'GET /nowhere\r\n\r\n', 400],
  ['a request without a version, with more behind it at once', 'GET /nowhere\r\n\r\nmore', 400],
  ['a request of HTTP/1.0', 'GET /nowhere HTTP/1.0\r\n\r\n', 404],
  ['what is malformed', '\0', 400],
  ['a malformed body', `${head('POST /v1/pets', KEY, JSON_TYPE, CHUNKED)}x\r\n`, 400],
  ['the head of too large a body', head('POST /v1/pets', KEY, JSON_TYPE, LAST, LARGE), 413],
  ['the head of a body that nobody may send', head('POST /v1/pets', CHUNKED), 401],
])(
  'a client that goes on sending behind %s has its answer, and no reset',
  async (_what, bytes, status) => {
    const connection = await rawConnection(gateway.url);
    connection.send(bytes);
    expect((await connection.answers(1)).map((answer) => answer.status)).toEqual([status]);
    // A reset throws away what the client has yet to read.
    expect(await isResetBySending(connection, 'x\r\n')).toBe(false);
    expect(await connection.last()).toHaveLength(1);
  },
);
