import { KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import { expect, test } from 'vitest';
import type { Caller } from '@store-gateway/access';
import { captureLog } from '../support/captured-log.ts';
import { newDatabase } from '../support/new-database.ts';
import { startGateway, type GatewayOptions } from '../support/gateway.ts';
import {
  AUDIENCE,
  startIdentityProvider,
  authenticatedBy,
  jwtOf,
  signedBy,
} from '../support/identity-provider.ts';
import { startService } from '../support/service.ts';

const provider = await startIdentityProvider();
const { issuer, issue, sign, signText } = provider;
const OIDC = { oidcIssuer: issuer, oidcAudience: AUDIENCE };

/** The callers of all operations, including operations that require no scope. */
const callers: Caller[] = [];
const api: GatewayOptions['api'] = {
  operationSteps: [
    (operation, call, next) => {
      callers.push(call.caller);
      return next(operation, call);
    },
  ],
};
const ANY_OPERATION = '/graphql?query={__typename}';
const gateway = await startGateway({ ...OIDC, api, access: { scopes: { prices: 'See prices.' } } });
const { request } = gateway;
const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

async function callerOf(token: string): Promise<Caller | undefined> {
  await request(ANY_OPERATION, as(token));
  return callers.pop();
}

test('both APIs accept API keys and the identity provider’s tokens', async () => {
  const token = await issue();
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    expect((await request(path, as(token))).status).toBe(200);
    expect((await request(path)).status).toBe(200);
  }
});

test('a token’s caller is named after the subject and has only the scopes that the store defines', async () => {
  expect(await callerOf(await issue('read prices unknown'))).toMatchObject({
    name: 'sub:shop',
    client: 'key:sub:shop',
    scopes: new Set(['read', 'prices']),
    claims: { iss: issuer, sub: 'shop', client_id: 'shop' },
  });
});

test.each([
  ['read from scp, an array', { scope: undefined, scp: ['read', 'prices'] }, ['read', 'prices']],
  ['read from scp, a string', { scope: undefined, scp: 'read prices' }, ['read', 'prices']],
  ['read from scope rather than scp', { scope: 'read', scp: ['write'] }, ['read']],
  ['read from scp if scope is empty', { scope: '', scp: ['read'] }, ['read']],
  ['empty if no value equals a known scope', { scope: 'readwrite read:pets READ all' }, []],
  ['empty if scope is an object', { scope: { read: true } }, []],
  ['empty without a scope claim', { scope: undefined }, []],
])('a token’s scopes are %s', async (_what, claims, expected) => {
  expect((await callerOf(sign(claims)))?.scopes).toEqual(new Set(expected));
});

test('every token subject has a unique negative caller id, so it never equals the id of an API key', async () => {
  const [ann, again, bob, one] = [
    await callerOf(sign({ sub: 'ann' })),
    await callerOf(sign({ sub: 'ann', scope: 'read' })),
    await callerOf(sign({ sub: 'bob' })),
    await callerOf(sign({ sub: '1' })),
  ];
  expect(ann?.id).toBeLessThan(0n);
  expect(ann?.id).toBeGreaterThanOrEqual(-(2n ** 63n));
  expect(again?.id).toBe(ann?.id);
  expect(new Set([ann?.id, bob?.id, one?.id]).size).toBe(3);
  // The API key of the gateway has the id 1.
  expect([one?.name, one?.client]).toEqual(['sub:1', 'key:sub:1']);
});

test('the same subject from a different issuer is a different caller', async () => {
  const other = await startIdentityProvider();
  const beside = await startGateway({ oidcIssuer: other.issuer, oidcAudience: AUDIENCE, api });
  const ann = await callerOf(sign());
  await beside.request(ANY_OPERATION, as(other.sign()));
  expect(callers.pop()).toMatchObject({ name: ann?.name });
  await beside.request(ANY_OPERATION, as(other.sign()));
  expect(callers.pop()?.id).not.toBe(ann?.id);
});

test('large integers in token claims keep all their digits', async () => {
  const token = signText(
    `{"iss":"${issuer}","aud":"${AUDIENCE}","sub":"ann","exp":${seconds(600)},"tenant":9007199254740993}`,
  );
  expect((await callerOf(token))?.claims).toMatchObject({ tenant: 9007199254740993n });
});

test('exp and nbf allow 30 s of clock skew; after that, a token is rejected as expired', async () => {
  expect(await request('/v1/pets', as(sign({ exp: seconds(-40) })))).toMatchObject({
    status: 401,
    json: { code: 'UNAUTHENTICATED', message: 'The access token has expired' },
  });
  expect((await request('/v1/pets', as(sign({ exp: seconds(-10) })))).status).toBe(200);
  expect((await request('/v1/pets', as(sign({ nbf: seconds(20) })))).status).toBe(200);
});

test('tokens of 8 kB and tokens with any access token typ are accepted, even when they are sent again', async () => {
  const large = sign({ groups: Array.from({ length: 500 }, (_, index) => `group ${index}`) });
  expect(large.length).toBeGreaterThan(8000);
  const types = ['JWT', 'application/at+jwt', 'AT+JWT', undefined];
  for (const token of [large, ...types.map((typ) => sign({}, { typ }))]) {
    for (const path of ['/v1/pets', '/v1/pets?limit=1']) {
      expect((await request(path, as(token))).status).toBe(200);
    }
  }
});

test('a request without credentials gets a 401 that asks for an access token or an API key', async () => {
  const { status, headers, json } = await request('/v1/pets', { headers: { Authorization: '' } });
  expect([status, headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
  expect(json).toMatchObject({
    message: 'An access token or an API key is required: Authorization: Bearer <TOKEN>',
  });
});

test.each(['wrong', 'encrypted.a.b.c.d', '..', 'a.b', 'a.b.c=', '.eyJ.'])(
  '%s is not a token, so it is rejected as an invalid API key',
  async (token) => {
    expect(await request('/v1/pets', as(token))).toMatchObject({
      status: 401,
      json: { message: 'The API key is not valid' },
    });
  },
);

const create = async (token: string) =>
  request('/v1/pets', {
    method: 'POST',
    headers: {
      ...as(token).headers,
      'Content-Type': 'application/json',
      'Idempotency-Key': '"a"',
    },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  });

test('idempotency keys are scoped to the subject, whichever of its tokens is sent', async () => {
  const first = await create(sign({ sub: 'eve', jti: '1' }));
  const again = await create(sign({ sub: 'eve', jti: '2' }));
  const other = await create(sign({ sub: 'mallory' }));
  expect([first.status, again.status, other.status]).toEqual([201, 201, 201]);
  expect(again.text).toBe(first.text);
  expect(other.text).not.toBe(first.text);
});

test('byApiKey also resolves access tokens for a store with its own authentication', async () => {
  const own = await startGateway({
    ...OIDC,
    api,
    access: {
      authenticate: async (_request, byApiKey) => ({ ...(await byApiKey()), claims: 'its own' }),
    },
  });
  expect((await own.request(ANY_OPERATION, as(await issue('read')))).status).toBe(200);
  expect(callers.pop()).toMatchObject({
    name: 'sub:shop',
    scopes: new Set(['read']),
    claims: 'its own',
  });
  expect((await own.request('/v1/pets', as(sign({ sub: '' })))).status).toBe(401);
});

test('a token without a key id is rejected if the provider has more than four keys', async () => {
  const several = await startIdentityProvider();
  await several.rotate(true);
  await several.rotate(true);
  await several.rotate(true);
  await several.rotate(true);
  const ofFive = await startGateway({ oidcIssuer: several.issuer, oidcAudience: AUDIENCE });
  const token = several.sign({}, { kid: undefined });
  expect((await ofFive.request('/v1/pets', as(token))).status).toBe(401);
});

const foreign = await generateKeyPair('ES256', { extractable: true });
const foreignJwk = await exportJWK(foreign.publicKey);
const publicJwk = provider.publicKey();
const publicKey = await importJWK(publicJwk, 'ES256', { extractable: true });
const pem =
  publicKey instanceof CryptoKey
    ? KeyObject.from(publicKey).export({ type: 'spki', format: 'pem' })
    : '';

const claims = { iss: issuer, aud: AUDIENCE, sub: 'ann', exp: seconds(600), scope: 'read write' };
const header = { alg: 'ES256', typ: 'at+jwt', kid: publicJwk.kid };
const byHmac = (secret: string) =>
  jwtOf({ ...header, alg: 'HS256' }, claims, authenticatedBy(secret));
const byForeignKey = (members: object) =>
  jwtOf({ ...header, ...members }, claims, signedBy(foreign.privateKey));
const [head = '', body = '', signature = ''] = sign().split('.');
const [, otherBody = ''] = sign({ sub: 'root' }).split('.');

const FORGED: readonly (readonly [what: string, token: string])[] = [
  ['with alg none', jwtOf({ ...header, alg: 'none' }, claims, () => '')],
  ['with alg None', jwtOf({ ...header, alg: 'None' }, claims, () => '')],
  ['with alg none and a signature', jwtOf({ ...header, alg: 'none' }, claims, () => signature)],
  ['without alg', jwtOf({ ...header, alg: undefined }, claims, () => signature)],
  ['with HS256 and the public key as JSON', byHmac(JSON.stringify(publicJwk))],
  ['with HS256 and the public key as PEM', byHmac(pem)],
  ['with HS256 and an empty secret', byHmac('')],
  ['with RS256 and an elliptic-curve key', sign({}, { alg: 'RS256' })],
  ['signed with a different key that has the same id', byForeignKey({})],
  ['signed with a different key that has no id', byForeignKey({ kid: undefined })],
  ['that contains its own public key', byForeignKey({ jwk: foreignJwk, kid: undefined })],
  [
    'that links to its own public key',
    byForeignKey({ jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x', kid: 'x' }),
  ],
  ['with a key id that is not a string', sign({}, { kid: 1 })],
  ['without a signature', `${head}.${body}.`],
  ['with a signature of zeros', `${head}.${body}.${'A'.repeat(signature.length)}`],
  ['with the signature of another token', `${head}.${otherBody}.${signature}`],
  ['with a critical extension', sign({}, { crit: ['x'], x: 1 })],
  ['with an unencoded payload', sign({}, { crit: ['b64'], b64: false })],
  ['with a type that is not a string', sign({}, { typ: 5 })],
  ['that is not JSON', 'eyJhbGciOi.eyJzdWIi.c2ln'],
  ['with an array as header', jwtOf([], claims, () => signature)],
  ['made of single letters', 'a.b.'],
];

const OF_OTHERS: readonly (readonly [what: string, token: string])[] = [
  ['issued for a different audience', await issue('read', 'https://other.example/api')],
  [
    'issued for several different audiences',
    sign({ aud: ['https://other.example', `${AUDIENCE}/`] }),
  ],
  ['without an audience', sign({ aud: undefined })],
  ['with an audience that is not a string', sign({ aud: { [AUDIENCE]: true } })],
  ['from a different issuer', sign({ iss: 'https://other.example' })],
  ['from the issuer with a trailing slash', sign({ iss: `${issuer}/` })],
  ['without an issuer', sign({ iss: undefined })],
  ['with a list of issuers', sign({ iss: [issuer] })],
  ['that is not valid yet', sign({ nbf: seconds(40) })],
  ['with an nbf that is not a number', sign({ nbf: 'soon' })],
  ['that never expires', sign({ exp: undefined })],
  ['with an exp that is not a number', sign({ exp: String(seconds(600)) })],
  ['without a subject', sign({ sub: undefined })],
  ['with an empty subject', sign({ sub: '' })],
  ['with a subject that is not a string', sign({ sub: 1 })],
  ['with a subject that forges a log line', sign({ sub: 'ann\n{"level":60}' })],
  ['with a subject of 256 characters', sign({ sub: 'a'.repeat(256) })],
  ['that is an ID token', sign({ scope: undefined, nonce: 'n' }, { typ: 'JWT' })],
  ['that is an ID token without typ', sign({ scope: undefined }, { typ: undefined })],
  ['that is a logout token', sign({}, { typ: 'logout+jwt' })],
  ['bound to its holder’s key', sign({ cnf: { jkt: 'thumbprint' } })],
  ['with an array as claims', signText('[]')],
  ['with claims that are not JSON', signText('{')],
  ['with deeply nested claims', signText(`{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`)],
];

test.each([...FORGED, ...OF_OTHERS])('a token %s is rejected', async (_what, token) => {
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    const { status, headers, text } = await request(path, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect([status, headers.get('WWW-Authenticate')]).toEqual([
      401,
      'Bearer error="invalid_token"',
    ]);
    expect(text).toContain('"The access token is not valid"');
  }
});

async function started(algorithm?: 'ES256' | 'RS256') {
  const own = await startIdentityProvider(algorithm);
  const service = await startGateway({ oidcIssuer: own.issuer, oidcAudience: AUDIENCE });
  const statusOf = async (token: string) => (await service.request('/v1/pets', as(token))).status;
  return { own, service, statusOf };
}

test('the first token with a new provider key is accepted, and then tokens with a removed key are rejected', async () => {
  const { own, statusOf } = await started();
  const old = await own.issue();
  expect(await statusOf(old)).toBe(200);
  await own.rotate();
  expect(await statusOf(old)).toBe(200);
  expect(await statusOf(await own.issue())).toBe(200);
  expect(await statusOf(old)).toBe(401);
});

test('while the provider is unreachable, tokens signed with a known key are accepted; other tokens get 503', async () => {
  const { own, service, statusOf } = await started('RS256');
  const known = await own.issue();
  expect(await statusOf(known)).toBe(200);
  own.stop();
  expect(await statusOf(known)).toBe(200);
  expect(await statusOf(own.sign({ jti: 'never seen' }))).toBe(200);
  await own.rotate();
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    const { status, headers, text } = await service.request(path, as(own.sign()));
    expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
    expect(text).toContain('The service cannot reach its identity provider right now.');
  }
  expect(await statusOf(known)).toBe(200);
  expect((await service.request('/v1/pets')).status).toBe(200);
});

test('the service starts while its identity provider is down, warns once and creates no initial API key', async () => {
  const own = await startIdentityProvider();
  own.stop();
  await using service = await startService({
    DATABASE_URL: await newDatabase(),
    OIDC_ISSUER: own.issuer,
    OIDC_AUDIENCE: AUDIENCE,
  });
  for (const index of [1, 2]) {
    const { status } = await fetch(`${service.url}/v1/pets/${index}`, as(own.sign({ index })));
    expect(status).toBe(503);
  }
  await service.child.line('stdout', (line) => line.includes('"path":"/v1/pets/2"'));
  const warnings = service.child.stdout().match(/could not fetch the identity provider's keys/g);
  expect(warnings).toHaveLength(1);
  expect(service.child.stderr()).not.toContain('API_KEY');
});

test('access tokens never appear in the log', async () => {
  const { own, service } = await started();
  const log = captureLog();
  const token = await own.issue();
  const parts = token.split('.');
  const encoded = Array.from(token, (digit) => `%${digit.charCodeAt(0).toString(16)}`).join('');
  const paths = [`/v1/pets/${token}`, `/${token}`, `/v1/pets/${encoded}`, `/x/${token}/y`];
  for (const path of [...paths, `/v1/pets?access_token=${token}`]) {
    await service.request(path, as(token));
    await service.request(path, as(own.sign({ aud: token })));
    await service.request(path, { headers: { Authorization: '', 'X-Request-Id': token } });
  }
  await service.request('/v1/pets/123');
  const text = await log.line((line) => line.includes('"path":"/v1/pets/123"'));
  expect(text).not.toBe('');
  for (const part of parts) {
    expect(log.text()).not.toContain(part);
  }
  expect(log.text()).toContain('"path":"/v1/pets/eyJ…"');
  expect(log.text()).toContain('"keyId":"sub:shop"');
});
