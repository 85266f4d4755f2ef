import { expect, inject, test } from 'vitest';
import { captureLog } from '../support/captured-log.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startGateway } from '../support/gateway.ts';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';
import { startService } from '../support/service.ts';

const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

async function started(algorithm?: 'ES256' | 'RS256') {
  const provider = await startIdentityProvider(algorithm);
  const service = await startGateway({ oidcIssuer: provider.issuer, oidcAudience: AUDIENCE });
  const statusOf = async (token: string) => (await service.request('/v1/pets', as(token))).status;
  return { provider, service, statusOf };
}

test('a new key is good when the first token with it comes, and a removed one no longer', async () => {
  const { provider, statusOf } = await started();
  const old = await provider.issue();
  expect(await statusOf(old)).toBe(200);
  await provider.rotate();
  expect(await statusOf(old)).toBe(200);
  expect(await statusOf(await provider.issue())).toBe(200);
  expect(await statusOf(old)).toBe(401);
});

test('while the provider is away, tokens with its known key are good, and others get 503', async () => {
  const { provider, service, statusOf } = await started('RS256');
  const known = await provider.issue();
  expect(await statusOf(known)).toBe(200);
  provider.stop();
  expect(await statusOf(known)).toBe(200);
  expect(await statusOf(provider.sign({ jti: 'never seen' }))).toBe(200);
  await provider.rotate();
  for (const path of ['/v1/pets', '/graphql?query={pets{id}}']) {
    const { status, headers, text } = await service.request(path, as(provider.sign()));
    expect([status, headers.get('Retry-After')]).toEqual([503, '1']);
    expect(text).toContain('The service cannot reach its identity provider right now.');
  }
  expect(await statusOf(known)).toBe(200);
  expect((await service.request('/v1/pets')).status).toBe(200);
});

test('a flood of unknown key ids asks the provider once', async () => {
  const { provider, statusOf } = await started();
  expect(await statusOf(await provider.issue())).toBe(200);
  const before = provider.asked();
  const tokens = Array.from({ length: 100 }, (_, index) =>
    provider.sign({}, { kid: `unknown ${index}` }),
  );
  const statuses = await Promise.all(tokens.map(statusOf));
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect(provider.asked() - before).toBe(1);
});

test('a service starts while its provider is away, warns once, and makes no first key', async () => {
  const provider = await startIdentityProvider();
  provider.stop();
  await using service = await startService({
    DATABASE_URL: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    OIDC_ISSUER: provider.issuer,
    OIDC_AUDIENCE: AUDIENCE,
  });
  for (const index of [1, 2]) {
    const { status } = await fetch(`${service.url}/v1/pets/${index}`, as(provider.sign({ index })));
    expect(status).toBe(503);
  }
  await service.child.line('stdout', (line) => line.includes('"path":"/v1/pets/2"'));
  const warnings = service.child.stdout().match(/cannot fetch the keys of the identity provider/g);
  expect(warnings).toHaveLength(1);
  expect(service.child.stderr()).not.toContain('API_KEY');
});

test('no token gets into the log, wherever it was put', async () => {
  const { provider, service } = await started();
  const log = captureLog();
  const token = await provider.issue();
  const [header = '', payload = '', signature = ''] = token.split('.');
  const encoded = Array.from(token, (digit) => `%${digit.charCodeAt(0).toString(16)}`).join('');
  const paths = [`/v1/pets/${token}`, `/${token}`, `/v1/pets/${encoded}`, `/x/${token}/y`];
  for (const path of [...paths, `/v1/pets?access_token=${token}`]) {
    await service.request(path, as(token));
    await service.request(path, as(provider.sign({ aud: token })));
    await service.request(path, { headers: { Authorization: '', 'X-Request-Id': token } });
  }
  await service.request('/v1/pets/123');
  const text = await log.line((line) => line.includes('"path":"/v1/pets/123"'));
  expect(text).not.toBe('');
  for (const part of [header, payload, signature]) {
    expect(log.text()).not.toContain(part);
  }
  expect(log.text()).toContain('"path":"/v1/pets/eyJ…"');
  expect(log.text()).toContain('"keyId":"sub:shop"');
});

test('a token anywhere but in Authorization opens nothing', async () => {
  const { provider, service } = await started();
  const token = await provider.issue();
  const none = { Authorization: '' };
  const attempts: readonly (readonly [string, RequestInit])[] = [
    [`/v1/pets?access_token=${token}`, { headers: none }],
    ['/v1/pets', { headers: { ...none, Cookie: `access_token=${token}` } }],
    ['/v1/pets', { headers: { ...none, DPoP: token, 'X-Access-Token': `Bearer ${token}` } }],
    ['/v1/pets', { headers: { Authorization: `DPoP ${token}` } }],
    ['/v1/pets', { headers: { Authorization: `Basic ${btoa(`:${token}`)}` } }],
    [
      '/graphql',
      {
        method: 'POST',
        headers: { ...none, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `access_token=${token}`,
      },
    ],
  ];
  for (const [path, init] of attempts) {
    expect((await service.request(path, init)).status).toBe(401);
  }
});
