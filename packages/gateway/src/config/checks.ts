import { isIP } from 'node:net';
import { StartupFailure, isLoopback } from '@store-gateway/ops';
import { parseDatabaseUrl } from '@store-gateway/postgres/database-url';
import { parsePolicy } from '@store-gateway/http/limits';

/** @returns what is wrong with the value of a variable */
export type Check = (name: string, value: string) => string[];

export const mustBe =
  (expected: string, isValid: (value: string) => boolean): Check =>
  (name, value) =>
    isValid(value) ? [] : [`${name} must be ${expected}, not ${JSON.stringify(value)}`];

export const each =
  (check: Check): Check =>
  (name, list) =>
    itemsOf(list).flatMap((item) => check(name, item));

export const oneOf = (...values: string[]) =>
  mustBe(values.join(' or '), (value) => values.includes(value));
export const isInteger = (value: string, min: number, max: number) =>
  /^\d{1,7}$/.test(value) && Number(value) >= min && Number(value) <= max;
export const integer = (min: number, max: number) =>
  mustBe(`an integer between ${min} and ${max}`, (value) => isInteger(value, min, max));
export const host = mustBe('an address or a host name', (value) => !/\s/.test(value));
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
export const logLevel = mustBe(`one of ${LOG_LEVELS.join(', ')}`, (value) =>
  LOG_LEVELS.includes(value),
);
export const fraction = mustBe('a number between 0 and 1 such as 0.01', (value) =>
  /^(?:0(?:\.\d+)?|1)$/.test(value),
);
export const limit = mustBe(
  'a number of requests and of seconds such as 60000/60s, or off',
  (value) => value === 'off' || parsePolicy(value) !== undefined,
);
/** A list is separated by spaces or commas, unless its items may have commas. */
export function itemsOf(list: string, separator = /[\s,]+/): string[] {
  return list.split(separator).filter(Boolean);
}

export function checkDatabaseUrl(name: string, value: string): string[] {
  try {
    parseDatabaseUrl(value);
    return [];
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    return [error.message.replace('DATABASE_URL', name)];
  }
}

export function checkReplicaUrls(name: string, list: string): string[] {
  return itemsOf(list, /\s+/).flatMap((url) => checkDatabaseUrl(name, url));
}

export function checkOrigins(name: string, list: string): string[] {
  const isAll = itemsOf(list).join() === '*';
  const origin = mustBe('origins such as https://shop.example, or * alone', isOrigin);
  return isAll ? [] : each(origin)(name, list);
}

/** As a browser writes it into its Origin header: nothing else would ever match. */
export function isOrigin(text: string): boolean {
  return /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text;
}

/** A token by RFC 9110, but for `*`, which would be any header. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'+.^`|~-]+$/.test(text);
}

/** An issuer as OpenID Connect has them; over plain HTTP only on this machine. */
export const issuer = mustBe(
  'an https URL without user, query and fragment such as https://login.example/shop; http only for localhost',
  isIssuer,
);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^https?:\/\/[^\s?#@]+$/.test(text) &&
    (url.protocol === 'https:' || isLoopback(url))
  );
}

/** An address or a CIDR range, or a name that proxy-addr has for some. All addresses at once are no proxy. */
export function isProxy(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/([1-9]\d*))?$/i.exec(text) ?? [];
  const version = isIP(address);
  return (
    ['loopback', 'linklocal', 'uniquelocal'].includes(text) ||
    (version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128))
  );
}
