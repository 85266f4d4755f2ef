import { isIP } from 'node:net';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { parsePublicUrl, PUBLIC_URL_FORM } from '@gateway/http-server/http/public-url';
import { parseDatabaseUrl } from '@gateway/postgres/database-url';
import { parsePolicy } from '@gateway/rate-limits/policy';
import { DEFAULT_POOL_SIZE, MINIMUM_POOL_SIZE } from '../database/pool-size.ts';

/** @returns what is wrong with the value of a variable */
type Check = (name: string, value: string) => string[];

const mustBe =
  (expected: string, isValid: (value: string) => boolean): Check =>
  (name, value) =>
    isValid(value) ? [] : [`${name} must be ${expected}, not ${JSON.stringify(value)}`];

const each =
  (check: Check): Check =>
  (name, list) =>
    itemsOf(list).flatMap((item) => check(name, item));

const oneOf = (...values: string[]) =>
  mustBe(values.join(' or '), (value) => values.includes(value));
const isInteger = (value: string, min: number, max: number) =>
  /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max;
const integer = (min: number, max: number) =>
  mustBe(`an integer between ${min} and ${max}`, (value) => isInteger(value, min, max));
const host = mustBe('an address or a host name', (value) => !/\s/.test(value));
const limit = mustBe(
  'a number of requests and of seconds such as 60000/60s, or off',
  (value) => value === 'off' || parsePolicy(value) !== undefined,
);
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The default of each environment variable, and the check of any other value. */
export const VARIABLES = {
  PORT: ['4000', integer(0, 65_535)],
  METRICS_PORT: ['', integer(0, 65_535)],
  WORKERS: [
    '1',
    mustBe(
      'an integer between 1 and 256, or auto',
      (value) => value === 'auto' || isInteger(value, 1, 256),
    ),
  ],
  WORKER_TIMEOUT: ['5', integer(3, 3600)],
  HOST: ['127.0.0.1', host],
  METRICS_HOST: ['127.0.0.1', host],
  DATABASE_URL: ['', checkDatabaseUrl],
  DATABASE_DIRECT_URL: ['', checkDatabaseUrl],
  DATABASE_REPLICA_URLS: ['', checkReplicaUrls],
  DATA_DIR: ['data', () => []],
  MIGRATE: ['on', oneOf('on', 'off')],
  POOL_SIZE: [String(DEFAULT_POOL_SIZE), integer(MINIMUM_POOL_SIZE, 999)],
  LOG_LEVEL: [
    'info',
    mustBe(`one of ${LOG_LEVELS.join(', ')}`, (value) => LOG_LEVELS.includes(value)),
  ],
  PUBLIC_URL: ['', mustBe(PUBLIC_URL_FORM, (value) => parsePublicUrl(value) !== undefined)],
  CORS_ORIGINS: ['', checkOrigins],
  GRAPHQL_INTROSPECTION: ['on', oneOf('on', 'off')],
  GRAPHQL_TRUSTED_DOCUMENTS: ['also', oneOf('also', 'only')],
  RATE_LIMIT: ['60000/60s', limit],
  FAILED_AUTH_LIMIT: ['60/60s', limit],
  MAX_CONNECTIONS: ['4000', integer(1, 9_999_999)],
  MAX_OPEN_REQUESTS: ['1000', integer(1, 9_999_999)],
  TRUSTED_PROXIES: [
    '',
    each(mustBe('addresses such as 10.0.0.0/8, or loopback, linklocal or uniquelocal', isProxy)),
  ],
} as const satisfies Record<string, readonly [fallback: string, check: Check]>;

/** A list is separated by spaces or commas, unless its items may have commas. */
export function itemsOf(list: string, separator = /[\s,]+/): string[] {
  return list.split(separator).filter(Boolean);
}

function checkDatabaseUrl(name: string, value: string): string[] {
  try {
    parseDatabaseUrl(value);
    return [];
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    return [error.message.replace('DATABASE_URL', name)];
  }
}

function checkReplicaUrls(name: string, list: string): string[] {
  return itemsOf(list, /\s+/).flatMap((url) => checkDatabaseUrl(name, url));
}

function checkOrigins(name: string, list: string): string[] {
  const isAll = itemsOf(list).join() === '*';
  const origin = mustBe('origins such as https://shop.example, or * alone', isOrigin);
  return isAll ? [] : each(origin)(name, list);
}

/** As a browser writes it into its Origin header: nothing else would ever match. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text;
}

/** An address or a CIDR range, or a name that proxy-addr has for some. All addresses at once are no proxy. */
function isProxy(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/([1-9]\d*))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
    (version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128))
  );
}
