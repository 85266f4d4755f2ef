import { KeyObject } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';
import { authenticatedBy, jwtOf, signedBy } from '../support/jwt.ts';

const provider = await startIdentityProvider();
const { issuer, issue, sign, signText } = provider;
const { request } = await startGateway({ oidcIssuer: issuer, oidcAudience: AUDIENCE });

const foreign = await generateKeyPair('ES256', { extractable: true });
const foreignJwk = await exportJWK(foreign.publicKey);
const publicJwk = provider.publicKey();
const publicKey = await importJWK(publicJwk, 'ES256', { extractable: true });
const pem =
  publicKey instanceof CryptoKey
    ? KeyObject.from(publicKey).export({ type: 'spki', format: 'pem' })
    : '';

const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;
const claims = { iss: issuer, aud: AUDIENCE, sub: 'ann', exp: seconds(600), scope: 'read write' };
const header = { alg: 'ES256', typ: 'at+jwt', kid: publicJwk.kid };
const byHmac = (secret: string) =>
  jwtOf({ ...header, alg: 'HS256' }, claims, authenticatedBy(secret));
const byForeignKey = (members: object) =>
  jwtOf({ ...header, ...members }, claims, signedBy(foreign.privateKey));
const [head = '', body = '', signature = ''] = sign().split('.');
const [, otherBody = ''] = sign({ sub: 'root' }).split('.');

const FORGED: readonly (readonly [what: string, token: string])[] = [
  ['of alg none', jwtOf({ ...header, alg: 'none' }, claims, () => '')],
  ['of alg None', jwtOf({ ...header, alg: 'None' }, claims, () => '')],
  ['of alg none with a signature', jwtOf({ ...header, alg: 'none' }, claims, () => signature)],
  ['of no alg', jwtOf({ ...header, alg: undefined }, claims, () => signature)],
  ['of HS256 with the public key as JSON', byHmac(JSON.stringify(publicJwk))],
  ['of HS256 with the public key as PEM', byHmac(pem)],
  ['of HS256 with an empty secret', byHmac('')],
  ['of RS256 with an elliptic key', sign({}, { alg: 'RS256' })],
  ['signed by another key of the same id', byForeignKey({})],
  ['signed by another key without an id', byForeignKey({ kid: undefined })],
  ['that brings its key', byForeignKey({ jwk: foreignJwk, kid: undefined })],
  [
    'that says where its key is',
    byForeignKey({ jku: 'https://evil.example/jwks', x5u: 'https://evil.example/x', kid: 'x' }),
  ],
  ['whose key id is no text', sign({}, { kid: 1 })],
  ['without a signature', `${head}.${body}.`],
  ['with a signature of zeros', `${head}.${body}.${'A'.repeat(signature.length)}`],
  ['with the signature of another', `${head}.${otherBody}.${signature}`],
  ['with a critical extension', sign({}, { crit: ['x'], x: 1 })],
  ['with an unencoded payload', sign({}, { crit: ['b64'], b64: false })],
  ['whose type is no text', sign({}, { typ: 5 })],
  ['of no JSON', 'eyJhbGciOi.eyJzdWIi.c2ln'],
  ['whose header is a list', jwtOf([], claims, () => signature)],
  ['of dots', 'a.b.'],
];

const OF_OTHERS: readonly (readonly [what: string, token: string])[] = [
  ['the provider issues for another audience', await issue('read', 'https://other.example/api')],
  ['is for several other audiences', sign({ aud: ['https://other.example', `${AUDIENCE}/`] })],
  ['has no audience', sign({ aud: undefined })],
  ['has an audience that is no text', sign({ aud: { [AUDIENCE]: true } })],
  ['is of another issuer', sign({ iss: 'https://other.example' })],
  ['is of the issuer with a slash', sign({ iss: `${issuer}/` })],
  ['has no issuer', sign({ iss: undefined })],
  ['has several issuers', sign({ iss: [issuer] })],
  ['is not valid yet', sign({ nbf: seconds(40) })],
  ['is valid from no number', sign({ nbf: 'soon' })],
  ['never expires', sign({ exp: undefined })],
  ['expires at no number', sign({ exp: String(seconds(600)) })],
  ['has no subject', sign({ sub: undefined })],
  ['has an empty subject', sign({ sub: '' })],
  ['has a subject that is no text', sign({ sub: 1 })],
  ['has a subject that forges a line of the log', sign({ sub: 'ann\n{"level":60}' })],
  ['has a subject of 256 characters', sign({ sub: 'a'.repeat(256) })],
  ['is an ID token', sign({ scope: undefined, nonce: 'n' }, { typ: 'JWT' })],
  ['is an ID token without typ', sign({ scope: undefined }, { typ: undefined })],
  ['is a logout token', sign({}, { typ: 'logout+jwt' })],
  ['is bound to a key of its holder', sign({ cnf: { jkt: 'thumbprint' } })],
  ['has claims that are a list', signText('[]')],
  ['has claims that are no JSON', signText('{')],
  ['has claims that are nested deeply', signText(`{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`)],
];

test.each([...FORGED, ...OF_OTHERS.map(([what, token]) => [`that ${what}`, token] as const)])(
  'a token %s is refused',
  async (_what, token) => {
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
  },
);

test('the same token is good as it is', async () => {
  const { status } = await request('/v1/pets', {
    headers: { Authorization: `Bearer ${head}.${body}.${signature}` },
  });
  expect(status).toBe(200);
});
