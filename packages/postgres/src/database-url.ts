import { StartupFailure } from '@gateway/errors/startup-failure';
import { checkParameter, isParameter } from './database-url-parameters.ts';

/** What DATABASE_URL says, by the names that libpq has for it: host, port, user, password, dbname, sslmode and so on. */
export type DatabaseUrl = ReadonlyMap<string, string>;

const SYNTAX = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is;
const USER_AND_PASSWORD = /^([^:]*):?(.*)$/s;
const HOST_AND_PORT = /^(?:\[([^\]]+)\]|([^:]*)):?(\d*)$/;

/**
 * Takes DATABASE_URL apart as libpq does, where each part may be a parameter instead
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS), and leniently where URLs of
 * JavaScript are: "@" in a password, "%" that encodes nothing, "+" for a space in a parameter.
 *
 * @throws StartupFailure that doesn't have the password
 */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const [userinfo = '', authority = '', path = '', query = ''] = groupsOf(SYNTAX, text.trim());
  const parameters = parametersOf(query);
  const hosts = [authority, parameters.get('host'), parameters.get('port')];
  if (hosts.some((part) => part?.includes(','))) {
    throw new StartupFailure(
      'DATABASE_URL must name one host: where there are several, that of a proxy in front of them',
    );
  }
  const [user = '', password = ''] = groupsOf(USER_AND_PASSWORD, userinfo);
  const [address, name = '', port = ''] = groupsOf(HOST_AND_PORT, authority);
  const parts = { user, password, host: address ?? name, port, dbname: path };
  const url = new Map(Object.entries(parts).map(([part, value]) => [part, decode(value)]));
  for (const [parameter, value] of parameters) {
    url.set(parameter, value);
  }
  for (const [parameter, value] of url) {
    if (value === '') {
      url.delete(parameter);
    } else {
      checkParameter(parameter, value);
    }
  }
  return url;
}

/** What is wrong with a URL, if anything is. */
export function databaseUrlFaults(text: string): string[] {
  try {
    parseDatabaseUrl(text);
    return [];
  } catch (error) {
    if (!(error instanceof StartupFailure)) {
      throw error;
    }
    return [error.message];
  }
}

/** The schema that a URL names. */
export function schemaOf(url: string): string | undefined {
  return parseDatabaseUrl(url).get('schema');
}

/** The same URL, but that it names a schema. */
export function inSchema(url: string, schema: string): string {
  return `${url.trim()}${url.includes('?') ? '&' : '?'}schema=${encodeURIComponent(schema)}`;
}

function parametersOf(query: string): Map<string, string> {
  const parameters = new Map(
    query
      .split('&')
      .filter(Boolean)
      .map((parameter) => {
        const [name = '', value = ''] = groupsOf(/^([^=]*)=(.*)$/s, parameter.replaceAll('+', ' '));
        return [decode(name), decode(value)];
      }),
  );
  const unknown = [...parameters.keys()].find((name) => !isParameter(name));
  if (unknown !== undefined) {
    // Behind a question mark in the password there is more of it, and then the "@".
    throw query.includes('@')
      ? malformed()
      : new StartupFailure(
          `DATABASE_URL has a parameter that is not known here, ${JSON.stringify(unknown)}`,
        );
  }
  return parameters;
}

function groupsOf(form: RegExp, text: string): (string | undefined)[] {
  const match = form.exec(text);
  if (match === null) {
    throw malformed();
  }
  return match.slice(1);
}

function decode(text: string): string {
  let decoded;
  try {
    decoded = text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => decodeURIComponent(encoded));
  } catch {
    throw malformed();
  }
  // PostgreSQL would take it for the end.
  if (decoded.includes('\0')) {
    throw malformed();
  }
  return decoded;
}

function malformed(): StartupFailure {
  return new StartupFailure(
    'DATABASE_URL must be a URL such as postgresql://user:password@host:5432/database',
  );
}
