import { hasScope } from '../../packages/access/src/keys/api-keys.ts';
import { createKey } from '../support/keys.ts';
import { expect, test } from 'vitest';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

let handled = 0;
const { database, request, key } = await startGateway({
  access: { scopes: { prices: 'See prices.' } },
  api: {
    mount: (router, { authenticate }) => {
      router.all('/report', async (incoming, response) => {
        const caller = await authenticate(incoming, response);
        handled += 1;
        response.end(hasScope(caller, 'prices') ? 'with prices' : 'without');
      });
    },
  },
});
const keyWith = async (...scopes: string[]) =>
  (await createKey(database, { scopes: new Set(scopes) })).key;

const KEYS = {
  all: key,
  read: await keyWith('read'),
  write: await keyWith('write'),
  prices: await keyWith('prices'),
  both: await keyWith('read', 'prices'),
  none: await keyWith(),
};

test.each<[string, keyof typeof KEYS]>([
  ['GET', 'all'],
  ['GET', 'read'],
  ['HEAD', 'read'],
  ['POST', 'all'],
  ['POST', 'write'],
  ['DELETE', 'write'],
])('a handler of a store’s own serves a %s with the scopes %s', async (method, scopes) => {
  const before = handled;
  const headers = { Authorization: `Bearer ${KEYS[scopes]}` };
  const { status } = await request('/report', { method, headers });
  expect([status, handled]).toEqual([200, before + 1]);
});

test.each<[string, keyof typeof KEYS, string]>([
  ['GET', 'write', 'read'],
  ['HEAD', 'write', 'read'],
  ['GET', 'prices', 'read'],
  ['GET', 'none', 'read'],
  ['POST', 'read', 'write'],
  ['PUT', 'both', 'write'],
  ['PATCH', 'prices', 'write'],
  ['DELETE', 'none', 'write'],
])(
  'a handler of a store’s own serves no %s with the scopes %s, which lack %s',
  async (method, scopes, lacking) => {
    const before = handled;
    const headers = { Authorization: `Bearer ${KEYS[scopes]}` };
    const answer = await request('/report', { method, headers });
    const body = errorBody(403, 'FORBIDDEN', `This request needs the scope ${lacking}`);
    const text = method === 'HEAD' ? '' : body;
    expect([answer.status, answer.text, handled]).toEqual([403, text, before]);
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="${lacking}"`,
    );
  },
);

test('it decides by the scopes of the store itself what more a caller gets', async () => {
  const read = await request('/report', { headers: { Authorization: `Bearer ${KEYS.read}` } });
  const both = await request('/report', { headers: { Authorization: `Bearer ${KEYS.both}` } });
  expect([read.text, both.text]).toEqual(['without', 'with prices']);
});
