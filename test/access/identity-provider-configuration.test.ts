import { expect, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { StartupFailure } from '@store-gateway/ops';

test.each([
  'https://login.example',
  'https://login.example/',
  'https://login.example:8443/realms/shop',
  'http://localhost:8080',
  'http://127.0.0.1:8080/realms/shop',
  'http://[::1]:8080',
])('OIDC_ISSUER=%s is an issuer, exactly as it is written', (issuer) => {
  const config = readConfig({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'shop', OIDC_CLIENT_ID: 'web' });
  expect(config).toMatchObject({
    oidcIssuer: issuer,
    oidcAudience: 'shop',
    oidcClientId: 'web',
  });
});

test.each([
  'login.example',
  'http://login.example',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'http://10.0.0.1',
  'https://',
  'https:login.example',
  'https://me@login.example',
  'https://login.example?realm=shop',
  'https://login.example#shop',
  ' https://login.example',
])('OIDC_ISSUER=%j is refused', (issuer) => {
  expect(() => readConfig({ OIDC_ISSUER: issuer, OIDC_AUDIENCE: 'shop' })).toThrow(
    new StartupFailure(
      `OIDC_ISSUER must be an https URL without user, query or fragment such as https://login.example/shop; http only for localhost, not ${JSON.stringify(issuer)}`,
    ),
  );
});

test('an identity provider needs an issuer and an audience', () => {
  expect(() => readConfig({ OIDC_ISSUER: 'https://login.example' })).toThrow(
    new StartupFailure(
      'OIDC_ISSUER needs OIDC_AUDIENCE: without it, tokens for other services would be valid',
    ),
  );
  expect(() => readConfig({ OIDC_AUDIENCE: 'shop', OIDC_CLIENT_ID: 'web' })).toThrow(
    new StartupFailure('OIDC_AUDIENCE needs an OIDC_ISSUER; OIDC_CLIENT_ID needs an OIDC_ISSUER'),
  );
});
