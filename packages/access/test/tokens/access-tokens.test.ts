import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { expect, onTestFinished, test, vi } from 'vitest';
import { log } from '@store-gateway/ops';
import { createAccessTokens } from '../../src/tokens/access-tokens.ts';
import { ProviderUnavailable, type AccessToken } from '../../src/tokens/claims.ts';

const ISSUER = 'https://login.example/shop';
const AUDIENCE = 'https://store.example';

/** The provider's key pairs, generated once because generating one takes longer than using it. */
const pairs = await Promise.all(['a', 'b'].map(keyPair));

async function keyPair(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
  return { kid, privateKey, jwk };
}

/** A fake identity provider without a server. The test controls its clock; `answers` maps URLs to responses. */
function startFakeProvider(answers: Record<string, () => unknown> = {}) {
  const asked: string[] = [];
  const clock = { seconds: 1_800_000_000 };
  let published = ['a'];
  let isAway = false;
  const standard: Record<string, () => unknown> = {
    [`${ISSUER}/.well-known/openid-configuration`]: () => ({
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/jwks`,
    }),
    [`${ISSUER}/jwks`]: () => ({
      keys: pairs.flatMap(({ kid, jwk }) => (published.includes(kid) ? [jwk] : [])),
    }),
    ...answers,
  };
  const made: AccessToken[] = [];
  const tokens = createAccessTokens({
    issuer: ISSUER,
    audience: AUDIENCE,
    callerOf: (token) => {
      made.push(token);
      return token;
    },
    fetch: async (url) => {
      asked.push(url);
      if (isAway) {
        throw new TypeError('fetch failed');
      }
      const answer = standard[url];
      return answer === undefined
        ? new Response(null, { status: 404 })
        : Response.json(await answer());
    },
    now: () => clock.seconds * 1000,
    uptime: () => clock.seconds * 1000,
  });
  onTestFinished(() => {
    tokens[Symbol.dispose]();
  });
  return {
    tokens,
    asked,
    clock,
    /** The tokens that were verified. */
    made,
    publish: (...kids: string[]) => {
      published = kids;
    },
    goAway: (away = true) => {
      isAway = away;
    },
    sign: async (claims: object = {}, kid = 'a') => {
      const key = pairs.find((pair) => pair.kid === kid) ?? pairs[0];
      if (key === undefined) throw new Error('there are no keys');
      return new SignJWT({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: 'ann',
        scope: 'read',
        exp: clock.seconds + 600,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
        .sign(key.privateKey);
    },
  };
}

test('a token is verified once, then cached until 30 s after it expires', async () => {
  const { tokens, made, clock, sign } = startFakeProvider();
  await tokens.refresh();
  const token = await sign({ exp: clock.seconds + 600 });
  expect(tokens.known(token)).toBeUndefined();
  const caller = await tokens.verify(token);
  expect(caller).toMatchObject({ subject: 'ann', scopes: new Set(['read']) });
  clock.seconds += 629;
  expect(tokens.known(token)).toBe(caller);
  expect(made).toHaveLength(1);
  clock.seconds += 1;
  expect(tokens.known(token)).toBeUndefined();
  await expect(tokens.verify(token)).rejects.toMatchObject({ hasExpired: true });
});

test('a token is not cached if its signing key is removed while the token is verified', async () => {
  const { tokens, sign, publish } = startFakeProvider();
  await tokens.refresh();
  const token = await sign();
  publish('b');
  const refreshed = tokens.refresh();
  await Promise.allSettled([tokens.verify(token), refreshed]);
  // Regardless of which of the two finished first.
  expect(tokens.known(token)).toBeUndefined();
});

test('cached keys stay valid during a provider outage of any length, and new keys are fetched after it', async () => {
  const { tokens, clock, sign, goAway, publish } = startFakeProvider();
  await tokens.refresh();
  const known = await sign({ exp: clock.seconds + 365 * 24 * 3600 });
  await tokens.verify(known);
  goAway();
  await tokens.refresh();
  expect(tokens.known(known)).toBeDefined();
  clock.seconds += 100 * 24 * 3600;
  await tokens.refresh();
  expect(tokens.known(known)).toBeDefined();
  expect(await tokens.verify(await sign({ jti: 'new' }))).toMatchObject({ subject: 'ann' });
  goAway(false);
  publish('a', 'b');
  clock.seconds += 5;
  expect(await tokens.verify(await sign({}, 'b'))).toMatchObject({ subject: 'ann' });
});

test('verifying a token fails with ProviderUnavailable if the provider does not respond', async () => {
  const silent = new Promise<never>(() => undefined);
  const { tokens, sign } = startFakeProvider({
    'https://login.example/shop/jwks': () => silent,
  });
  await expect(tokens.verify(await sign())).rejects.toThrow(ProviderUnavailable);
});

test.each([
  // Includes the fetch for the first token, before the flood.
  ['key fetch', false, 'InvalidToken', 1 + 11],
  // Each attempt requests both metadata URLs.
  ['attempt to reach an unavailable provider', true, 'ProviderUnavailable', 2 * 12],
])(
  'a flood of tokens with unknown key IDs causes at most one %s every 5 s',
  async (_what, isAway, expected, fetches) => {
    const { tokens, clock, sign, goAway, asked } = startFakeProvider();
    goAway(isAway);
    await Promise.allSettled([tokens.verify(await sign())]);
    const reasons = new Set<unknown>();
    for (let second = 0; second < 60; second += 1) {
      const flood = await Promise.all(
        Array.from({ length: 20 }, (_, index) => sign({}, `unknown ${second} ${index}`)),
      );
      for (const verified of await Promise.allSettled(flood.map((token) => tokens.verify(token)))) {
        const reason: unknown = verified.status === 'rejected' ? verified.reason : verified.value;
        reasons.add(reason instanceof Error ? reason.name : reason);
      }
      clock.seconds += 1;
    }
    expect(reasons).toEqual(new Set([expected]));
    expect(asked.filter((url) => isAway || url.endsWith('/jwks'))).toHaveLength(fetches);
  },
);

const OPEN_ID = `${ISSUER}/.well-known/openid-configuration`;
const OAUTH = 'https://login.example/.well-known/oauth-authorization-server/shop';

test('the key set URL comes from OpenID Connect metadata or, if there is none, from RFC 8414 metadata', async () => {
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
  ['names a different issuer', { issuer: `${ISSUER}/`, jwks_uri: `${ISSUER}/jwks` }],
  ['lacks the issuer', { jwks_uri: `${ISSUER}/jwks` }],
  ['has a plain HTTP jwks_uri', { issuer: ISSUER, jwks_uri: 'http://login.example/shop/jwks' }],
  ['has a file: jwks_uri', { issuer: ISSUER, jwks_uri: 'file:///etc/keys' }],
  ['lacks the jwks_uri', { issuer: ISSUER }],
  ['is null', null],
])('provider metadata that %s is rejected', async (_what, metadata) => {
  const { tokens, asked, sign } = startFakeProvider({ [OPEN_ID]: () => metadata });
  await expect(tokens.verify(await sign())).rejects.toThrow(ProviderUnavailable);
  expect(asked).toEqual([OPEN_ID]);
});

test.each<[what: string, answer: unknown]>([
  ['an empty object', {}],
  ['null', null],
  ['an object without a list of keys', { keys: 'a' }],
  ['more than 1 MB', { keys: [], padding: ' '.repeat(1_000_000) }],
])('cached keys stay valid when the provider sends %s as its key set', async (_what, answer) => {
  let isBroken = false;
  const { tokens, sign } = startFakeProvider({
    [OPEN_ID]: () => ({ issuer: ISSUER, jwks_uri: `${ISSUER}/${isBroken ? 'broken' : 'jwks'}` }),
    [`${ISSUER}/broken`]: () => answer,
  });
  await tokens.refresh();
  isBroken = true;
  await tokens.refresh();
  expect(await tokens.verify(await sign())).toMatchObject({ subject: 'ann' });
});

test('the start and the end of a provider outage are each logged once', async () => {
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
