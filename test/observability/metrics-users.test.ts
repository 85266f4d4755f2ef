import { expect, test } from 'vitest';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';

const provider = await startIdentityProvider();
const { metricsUrl, moved, send, log } = await startMeasuredGateway({
  oidcIssuer: provider.issuer,
  oidcAudience: AUDIENCE,
  access: {
    authenticate: async ({ headers }, byApiKey) =>
      headers['x-user'] === undefined
        ? byApiKey()
        : { id: BigInt(String(headers['x-user'])), scopes: new Set<string>() },
  },
});

const withToken = (sub: string, scope: string) => ({
  headers: { Authorization: `Bearer ${provider.sign({ sub, scope })}` },
});

test('callers without an API key share one label in metrics, and only the log has their names', async () => {
  const counted = await moved(/^animal_store_(?:deprecated_calls|forbidden)/, async () => {
    for (const sub of ['ann@shop.example', 'bob@shop.example']) {
      expect(await send('/v1/pets/0', withToken(sub, 'read'))).toBe(404);
      expect(await send('/v1/pets', withToken(sub, ''))).toBe(403);
    }
    expect(await send('/v1/pets', { headers: { 'X-User': '70001' } })).toBe(403);
    expect(await send('/v1/pets/0')).toBe(404);
  });
  expect(counted).toEqual({
    'animal_store_deprecated_calls_total{key_id=user field=pet}': 2,
    'animal_store_deprecated_calls_total{key_id=1 field=pet}': 1,
    'animal_store_forbidden_requests_total{key_id=user}': 3,
  });
  const metrics = await (await fetch(metricsUrl)).text();
  // Without the measured values, whose digits may be any.
  expect(metrics.replaceAll(/ [^ ]+$/gm, '')).not.toMatch(/shop\.example|sub:|70001/);
  await log.line((line) => line.includes('"keyId":"sub:ann@shop.example"'));
});
