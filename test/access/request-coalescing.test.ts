import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/wire.ts';

const { url, key, database, post } = await startGateway({ maximumOpenRequests: 4000 });
await post('/v1/pets', { name: 'Rex', categoryId: 1 });
const { key: otherKey } = await createKey(database, { name: 'other' });
const bad = generateApiKey();

/** What is asked for at the same time, by the lines about the key; and the status of each. */
const ASKED: readonly (readonly [lines: string, status: number])[] = [
  [`Authorization: Bearer ${key}\r\n`, 200],
  [`Authorization: Bearer ${otherKey}\r\n`, 200],
  ['', 401],
  [`Authorization: Bearer ${bad}\r\n`, 401],
  [`Authorization: Bearer ${key}x\r\n`, 401],
  [`Authorization: Bearer ${key.slice(0, -1)}\r\n`, 401],
  [`authorization: bearer ${key}\r\n`, 200],
  [`Authorization: Bearer ${key}\r\nAuthorization: Bearer ${bad}\r\n`, 401],
  [`Authorization: Bearer ${bad}\r\nAuthorization: Bearer ${key}\r\n`, 401],
  [`X-API-Key: Bearer ${key}\r\n`, 401],
  [`Cookie: authorization\r\nCookie: Bearer ${key}\r\n`, 401],
];

test.each([
  '/v1/pets',
  '/v1/pets?limit=1',
  '/v1/pets/1',
  `/graphql?query=${encodeURIComponent('{ pets { name } }')}`,
])('of many who ask for %s at once, whoever has no good key gets nothing', async (path) => {
  const sent = Array.from({ length: 10 * ASKED.length }, async (_, index) => {
    const [lines = '', status = 0] = ASKED[index % ASKED.length] ?? [];
    const [answer] = await sendBytes(url, `GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
    const isShown = answer?.body.includes('Rex') === true;
    return { lines, right: answer?.status === status && isShown === (status === 200) };
  });
  expect((await Promise.all(sent)).filter(({ right }) => !right)).toEqual([]);
});
