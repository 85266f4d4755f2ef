import { generateApiKey } from '../../support/store-database.ts';
import { PETS } from '../store.ts';
import type { Attack } from './attack.ts';
import { type Call, many, random, takeTurns } from './turns.ts';

const CONNECTIONS = 64;

const dearList = (): Call => ({ path: `/v1/pets?limit=100&after=${random(PETS)}` });

const create = (headers: Record<string, string> = {}): Call => ({
  path: '/v1/pets',
  body: '{"name":"one of many","categoryId":1}',
  headers,
});

/** Sends any of these kinds of requests. */
function any(
  connections: number,
  kinds: readonly (() => Call)[],
): Pick<Attack, 'connections' | 'run'> {
  return {
    connections,
    run: (target) => {
      takeTurns(target, () => kinds[random(kinds.length)]?.() ?? { path: '/' });
    },
  };
}

export const unreadLog: Attack = {
  name: 'one key asks for animals on 64 connections, and whoever reads the log hangs',
  ...any(CONNECTIONS, [() => ({ path: `/v1/pets/${random(PETS)}` })]),
  isLogUnread: true,
};

/** Headers that are no valid key; from an address that honest clients don't have. */
const withoutKey = (Authorization: string): Call => ({
  path: `/v1/pets/${random(PETS)}`,
  headers: { Authorization, 'X-Forwarded-For': '192.0.2.1' },
});

export const requests: readonly Attack[] = [
  { name: 'one key lists animals on 64 connections', ...any(CONNECTIONS, [dearList]) },
  { name: 'one key creates animals on 64 connections', ...any(CONNECTIONS, [create]) },
  {
    name: 'one key creates animals by Idempotency-Keys, the same or different ones',
    ...any(CONNECTIONS, [
      () => create({ 'Idempotency-Key': `k${random()}` }),
      () => create({ 'Idempotency-Key': `k${random(5)}` }),
    ]),
  },
  {
    name: 'one key is over its rate limit on 1,000 connections',
    ...any(1000, [dearList]),
    // The honest ones are within it.
    env: { RATE_LIMIT: '600/10s' },
  },
  {
    name: 'one address tries keys on 200 connections: none, malformed and unknown ones',
    ...any(200, [
      () => withoutKey(''),
      () => withoutKey(`Bearer asg_${'x'.repeat(49)}`),
      () => withoutKey(`Bearer ${generateApiKey()}`),
      () => withoutKey(`Basic ${'x'.repeat(6000)}`),
      () => withoutKey(`Bearer ${many(300, () => 'asg_x', ',')}`),
    ]),
    env: { TRUSTED_PROXIES: 'loopback' },
  },
  {
    name: 'one key sends URLs of 15 kB',
    ...any(CONNECTIONS, [
      () => ({ path: `/v1/pets?${many(2500, (index) => `a${index}`, '&')}&after=${random(PETS)}` }),
      () => ({ path: `/v1/pets?after=${'%30'.repeat(4900)}${random(PETS)}` }),
      () => ({
        path: `/graphql?query=${encodeURIComponent(`{${'pets{id} '.repeat(230)} x${random()}}`)}`,
      }),
    ]),
  },
  {
    name: 'somebody without a key asks for what is not there, by all methods',
    ...any(
      CONNECTIONS,
      ['GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE'].map((method) => () => ({
        method,
        path: `/${random()}`,
        headers: { Authorization: '' },
      })),
    ),
  },
  {
    name: 'somebody without a key probes on 200 connections',
    ...any(
      200,
      ['/livez', '/readyz'].map((path) => () => ({ path, headers: { Authorization: '' } })),
    ),
  },
  {
    name: 'somebody without a key reads all pages on 64 connections',
    ...any(
      CONNECTIONS,
      ['/', '/assets/graphiql/graphiql.js', '/docs', '/v1/openapi.yaml', '/schema.graphql'].map(
        (path) => () => ({
          path,
          headers: { Authorization: '', Accept: 'text/html' },
        }),
      ),
    ),
  },
];
