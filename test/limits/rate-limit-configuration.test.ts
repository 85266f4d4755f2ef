import { expect, test } from 'vitest';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import { StartupFailure } from '@store-gateway/ops';

const LIMITS = [
  ['RATE_LIMIT', 'rateLimit'],
  ['FAILED_AUTH_LIMIT', 'failedAuthLimit'],
] as const;

test.each(LIMITS)('%s is a number of requests per seconds, or off', (name, member) => {
  expect(readConfig({ [name]: '5/10s' })[member]).toEqual({ quota: 5, windowSeconds: 10 });
  expect(readConfig({ [name]: 'off' })[member]).toBeUndefined();
});

test('an empty limit is the default', () => {
  expect(readConfig({ RATE_LIMIT: '' }, { RATE_LIMIT: '' }).rateLimit).toEqual(
    readConfig({}).rateLimit,
  );
  expect(readConfig({}).rateLimit).toBeDefined();
});

test.each(['0/60s', '60/0s', '60', '60/60', '60/1m', '-1/60s', '1e3/60s', ' 60/60s', 'OFF'])(
  'a limit of %j is refused',
  (policy) => {
    for (const [name] of LIMITS) {
      expect(() => readConfig({ [name]: policy })).toThrow(
        new StartupFailure(
          `${name} must be a number of requests per number of seconds such as 60000/60s, or off, not ${JSON.stringify(policy)}`,
        ),
      );
    }
  },
);

test('TRUSTED_PROXIES may be addresses, ranges and names of ranges', () => {
  const text = 'loopback, uniquelocal,linklocal 192.0.2.1,10.0.0.0/8,2001:db8::/32,::1';
  expect(readConfig({ TRUSTED_PROXIES: text }).trustedProxies).toEqual([
    'loopback',
    'uniquelocal',
    'linklocal',
    '192.0.2.1',
    '10.0.0.0/8',
    '2001:db8::/32',
    '::1',
  ]);
});

test.each(['proxy.example', '*', 'true', '10.0.0.0/33', '0.0.0.0/0', '::/129', '10.0.0', '[::1]'])(
  'TRUSTED_PROXIES=%j is refused',
  (proxy) => {
    expect(() => readConfig({ TRUSTED_PROXIES: `loopback,${proxy}` })).toThrow(
      new StartupFailure(
        `TRUSTED_PROXIES must be addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal, not ${JSON.stringify(proxy)}`,
      ),
    );
  },
);
