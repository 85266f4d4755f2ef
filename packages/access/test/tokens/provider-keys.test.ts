import { expect, test, vi } from 'vitest';
import { log } from '@store-gateway/ops';
import { ProviderUnavailable } from '../../src/tokens/claims.ts';
import { ISSUER, startFakeProvider } from './fake-provider.ts';

const OPEN_ID = `${ISSUER}/.well-known/openid-configuration`;
const OAUTH = 'https://login.example/.well-known/oauth-authorization-server/shop';

test('keys are where the metadata say, by OpenID Connect or RFC 8414', async () => {
  const byOpenId = startFakeProvider();
  await byOpenId.tokens.verify(await byOpenId.sign());
  expect(byOpenId.asked).toEqual([OPEN_ID, `${ISSUER}/jwks`]);
  const byOAuth = startFakeProvider({
    [OPEN_ID]: () => Promise.reject(new Error('there are none')),
    [OAUTH]: () => ({ issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` }),
  });
  await byOAuth.tokens.verify(await byOAuth.sign());
  expect(byOAuth.asked).toEqual([OPEN_ID, OAUTH, `${ISSUER}/jwks`]);
});

test.each<[string, unknown]>([
  ['are of another issuer', { issuer: `${ISSUER}/`, jwks_uri: `${ISSUER}/jwks` }],
  ['are of none', { jwks_uri: `${ISSUER}/jwks` }],
  ['name keys over plain HTTP', { issuer: ISSUER, jwks_uri: 'http://login.example/shop/jwks' }],
  ['name keys in a file', { issuer: ISSUER, jwks_uri: 'file:///etc/keys' }],
  ['name no keys', { issuer: ISSUER }],
  ['are none', null],
])('metadata that %s are refused', async (_what, metadata) => {
  const { tokens, asked, sign } = startFakeProvider({ [OPEN_ID]: () => metadata });
  await expect(tokens.verify(await sign())).rejects.toThrow(ProviderUnavailable);
  expect(asked).toEqual([OPEN_ID]);
});

test.each<[unknown]>([[{}], [null], [{ keys: 'a' }]])(
  '%j is no key set, and those that are known stay',
  async (keys) => {
    let isBroken = false;
    const { tokens, sign } = startFakeProvider({
      [OPEN_ID]: () => ({ issuer: ISSUER, jwks_uri: `${ISSUER}/${isBroken ? 'broken' : 'jwks'}` }),
      [`${ISSUER}/broken`]: () => keys,
    });
    await tokens.refresh();
    isBroken = true;
    await tokens.refresh();
    expect(await tokens.verify(await sign())).toMatchObject({ subject: 'ann' });
  },
);

test('a key set of more than a megabyte is refused, and those that are known stay', async () => {
  let name = 'jwks';
  const { tokens, sign } = startFakeProvider({
    [OPEN_ID]: () => ({ issuer: ISSUER, jwks_uri: `${ISSUER}/${name}` }),
    [`${ISSUER}/large`]: () => ({ keys: [], padding: ' '.repeat(1_000_000) }),
  });
  await tokens.refresh();
  name = 'large';
  await tokens.refresh();
  expect(await tokens.verify(await sign())).toMatchObject({ subject: 'ann' });
});

test('an absence is logged once, and its end', async () => {
  const { tokens, goAway } = startFakeProvider();
  const warn = vi.spyOn(log, 'warn').mockReturnValue();
  const info = vi.spyOn(log, 'info').mockReturnValue();
  for (const isAway of [true, true, false, false, true]) {
    goAway(isAway);
    await tokens.refresh();
  }
  expect(warn).toHaveBeenCalledTimes(2);
  expect(info.mock.calls).toEqual([['the identity provider is reachable again']]);
  vi.restoreAllMocks();
});
