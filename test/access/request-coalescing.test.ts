import { generateApiKey } from '../support/store-database.ts';
import { expect, test } from 'vitest';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';
import { createKey, type KeyOptions } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';
import { sendBytes } from '../support/http-answers.ts';

const provider = await startIdentityProvider();
const { url, key, database, post } = await startGateway({
  maximumOpenRequests: 4000,
  oidcIssuer: provider.issuer,
  oidcAudience: AUDIENCE,
});
await post('/v1/pets', { name: 'Rex', categoryId: 1 });

const keyWith = async (options: KeyOptions) => (await createKey(database, options)).key;
const bad = generateApiKey();
const SHOP = 'https://shop.example';
const [other, reader, writer, ofPages, ofDocuments] = [
  await keyWith({ name: 'other' }),
  await keyWith({ scopes: new Set(['read']) }),
  await keyWith({ scopes: new Set(['write']) }),
  await keyWith({ scopes: new Set(['read']), origins: [SHOP] }),
  await keyWith({ documentsOnly: true }),
];

/** The different headers of the concurrent requests, and the status of each. */
const ASKED: readonly (readonly [lines: readonly string[], status: number])[] = [
  [[`Authorization: Bearer ${key}`], 200],
  [[`Authorization: Bearer ${other}`], 200],
  [[`authorization: bearer ${key}`], 200],
  [[`Authorization: Bearer ${reader}`], 200],
  [[`Authorization: Bearer ${provider.sign({ sub: 'ann' })}`], 200],
  [[`Authorization: Bearer ${provider.sign({ sub: 'bob' })}`], 200],
  [[], 401],
  [[`Authorization: Bearer ${bad}`], 401],
  [[`Authorization: Bearer ${key}x`], 401],
  [[`Authorization: Bearer ${key.slice(0, -1)}`], 401],
  [[`Authorization: Bearer ${key}`, `Authorization: Bearer ${bad}`], 401],
  [[`Authorization: Bearer ${bad}`, `Authorization: Bearer ${key}`], 401],
  [[`X-API-Key: Bearer ${key}`], 401],
  [['Cookie: authorization', `Cookie: Bearer ${key}`], 401],
  [[`Authorization: Bearer ${provider.sign({ aud: 'https://other.example' })}`], 401],
  [[`Authorization: Bearer ${writer}`], 403],
  [[`Authorization: Bearer ${ofDocuments}`], 403],
  [[`Authorization: Bearer ${ofPages}`, `Origin: ${SHOP}`], 200],
  [[`Authorization: Bearer ${ofPages}`, 'Origin: https://evil.example'], 403],
  [[`Authorization: Bearer ${ofPages}`, `X-Origin: ${SHOP}`], 403],
  [[`Authorization: Bearer ${ofPages}`, `Referer: ${SHOP}/`], 403],
  [[`Authorization: Bearer ${ofPages}`], 403],
];

test.each([
  '/v1/pets',
  '/v1/pets?limit=1',
  '/v1/pets/1',
  `/graphql?query=${encodeURIComponent('{ pets { name } }')}`,
])(
  'of identical concurrent requests for %s, only those that are allowed to read it get its content',
  async (path) => {
    const sent = Array.from({ length: 10 * ASKED.length }, async (_, index) => {
      const [lines = [], status = 0] = ASKED[index % ASKED.length] ?? [];
      const head = [`GET ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');
      const [answer] = await sendBytes(url, head);
      const isShown = answer?.body.includes('Rex') === true;
      return { lines, right: answer?.status === status && isShown === (status === 200) };
    });
    expect((await Promise.all(sent)).filter(({ right }) => !right)).toEqual([]);
  },
);
