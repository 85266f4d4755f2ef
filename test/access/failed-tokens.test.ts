import { expect, onTestFinished, test, vi } from 'vitest';
import { requestContext } from '@store-gateway/ops';
import { generateApiKey } from '../support/store-database.ts';
import { startGateway } from '../support/gateway.ts';
import { expectRejectedAddress } from '../support/error-body.ts';
import { AUDIENCE, startIdentityProvider } from '../support/identity-provider.ts';

const QUOTA = 6;
const provider = await startIdentityProvider();
const { sign } = provider;
let time = 0;
const options = {
  now: () => time,
  oidcIssuer: provider.issuer,
  oidcAudience: AUDIENCE,
  failedAuthLimit: { quota: QUOTA, windowSeconds: QUOTA },
  trustedProxies: ['loopback'],
};
const gateway = await startGateway(options);

const times = <Value>(count: number, value: Value): Value[] =>
  Array.from({ length: count }, () => value);

/** Counts, until the test ends, the verifications within requests and the maximum number of concurrent verifications. */
function countVerifications() {
  const { subtle } = crypto;
  const verify = subtle.verify.bind(subtle);
  const counted = { total: 0, running: 0, most: 0 };
  const spy = vi.spyOn(subtle, 'verify').mockImplementation(async (...parameters) => {
    // Verifications outside of a request prepare for the client's next attempt.
    counted.total += requestContext.getStore() === undefined ? 0 : 1;
    counted.running += 1;
    counted.most = Math.max(counted.most, counted.running);
    return verify(...parameters).finally(() => {
      counted.running -= 1;
    });
  });
  onTestFinished(() => spy.mockRestore());
  return counted;
}

/** Returns a token whose signature belongs to a different token. */
function forge(header: object = {}): string {
  const token = sign({}, header);
  const end = token.lastIndexOf('.');
  const signature = sign({ sub: 'eve' }).split('.')[2] ?? '';
  return `${token.slice(0, end)}.${signature}`;
}

async function ask(from: string, token: string, { path = '/v1/pets', of = gateway } = {}) {
  return of.request(path, {
    headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': from },
  });
}

const statusFrom = async (from: string, token = forge(), of = gateway) =>
  (await ask(from, token, { of })).status;

async function exhaust(from: string): Promise<void> {
  for (const status of times(QUOTA, 401)) {
    expect(await statusFrom(from)).toBe(status);
  }
}

test('beyond the failed-auth limit, both APIs return 429 for unknown tokens without verifying a signature', async () => {
  const from = '192.0.2.1';
  await exhaust(from);
  const verified = countVerifications();
  const rest = await ask(from, forge());
  const graphql = await ask(from, sign({ sub: 'new' }), { path: '/graphql?query={pets{id}}' });
  expectRejectedAddress(
    { rest, graphql },
    {
      policy: '"failed-auth";q=6;w=6',
      state: '"failed-auth";r=0;t=1',
      retryAfter: '1',
    },
  );
  expect(verified.total).toBe(0);
});

test('beyond the failed-auth limit, tokens that were verified earlier are accepted', async () => {
  const from = '192.0.2.2';
  const token = sign({ sub: 'known' });
  expect(await statusFrom(from, token)).toBe(200);
  await exhaust(from);
  expect(await statusFrom(from, token)).toBe(200);
});

test('invalid tokens and API keys share their address’s failed-auth limit; valid tokens do not count', async () => {
  const from = '192.0.2.3';
  for (let count = 0; count < 2 * QUOTA; count += 1) {
    expect(await statusFrom(from, sign({ sub: `user ${count}` }))).toBe(200);
  }
  await exhaust(from);
  expect(await statusFrom(from, generateApiKey())).toBe(429);
  expect(await statusFrom('192.0.2.4')).toBe(401);
});

test('when the Retry-After of a 429 has passed, one more token is verified', async () => {
  const from = '192.0.2.5';
  await exhaust(from);
  time += 1000;
  expect(await statusFrom(from, sign({ sub: 'patient' }))).toBe(200);
  expect([await statusFrom(from), await statusFrom(from)]).toEqual([401, 429]);
});

test('a new valid token is soon accepted while its address keeps sending invalid tokens', async () => {
  const from = '192.0.2.6';
  await exhaust(from);
  const token = sign({ sub: 'newcomer' });
  await expect
    .poll(
      async () => {
        const status = await statusFrom(from, token);
        expect(await statusFrom(from)).toBe(429);
        return status;
      },
      { timeout: 20_000 },
    )
    .toBe(200);
});

test('of many concurrent invalid tokens, only as many as the limit allows are verified, two at a time', async () => {
  const tokens = Array.from({ length: 40 }, () => forge());
  const verified = countVerifications();
  const statuses = await Promise.all(tokens.map((token) => statusFrom('192.0.2.7', token)));
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...times(QUOTA, 401), ...times(34, 429)]);
  expect(verified.total).toBe(QUOTA);

  const all = Array.from({ length: 40 }, (_, count) => sign({ sub: `one of many ${count}` }));
  expect(await Promise.all(all.map((token) => statusFrom('192.0.2.8', token)))).toEqual(
    times(40, 200),
  );
  expect([verified.total, verified.most]).toEqual([QUOTA + 40, 2]);
});

test('a token without a key id counts once for each public key that it is checked against', async () => {
  const several = await startIdentityProvider();
  for (let count = 1; count < 4; count += 1) {
    await several.rotate(true);
  }
  const strict = await startGateway({ ...options, oidcIssuer: several.issuer });
  const last = (sub: string) => several.sign({ sub }, { kid: undefined });
  // The first token is signed by the fourth key, the second one by none.
  expect(await statusFrom('192.0.2.1', last('ann'), strict)).toBe(200);
  const verified = countVerifications();
  expect(await statusFrom('192.0.2.1', forge({ kid: undefined }), strict)).toBe(401);
  expect(verified.total).toBe(4);
  expect(await statusFrom('192.0.2.1', forge({ kid: undefined }), strict)).toBe(429);
  expect(await statusFrom('192.0.2.1', forge({ kid: undefined }), strict)).toBe(429);
  expect(verified.total).toBe(QUOTA);

  await Promise.all(
    times(10, '192.0.2.2').map((from) => statusFrom(from, forge({ kid: undefined }), strict)),
  );
  expect(verified.total).toBe(2 * QUOTA);
});
