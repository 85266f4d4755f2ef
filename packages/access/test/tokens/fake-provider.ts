import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import { onTestFinished } from 'vitest';
import { createAccessTokens } from '../../src/tokens/access-tokens.ts';
import type { AccessToken } from '../../src/tokens/claims.ts';

export const ISSUER = 'https://login.example/shop';
const AUDIENCE = 'https://store.example';

/** Its keys are made once: to make one takes longer than to use it. */
const pairs = await Promise.all(['a', 'b'].map(keyPair));

async function keyPair(kid: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'ES256' };
  return { kid, privateKey, jwk };
}

/** A provider that is a function, with clocks that a test sets; `answers` are by URL. */
export function startFakeProvider(answers: Record<string, () => unknown> = {}) {
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
    /** What was verified. */
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
