import type { Gateway } from '../definition.ts';
import { styleText } from 'node:util';
import { makeFirstKey, type KeyLookups } from '@store-gateway/access';
import { isNonNullType } from 'graphql';
import type { PreparedRoute, Rest } from '@store-gateway/rest';
import type { Config } from '../config/config.ts';

/**
 * Makes the first key of a new store, and prints it to stderr with the addresses; later starts print the addresses, on a
 * terminal only. A store with an identity provider needs no key, and gets none that may do everything.
 */
export async function greet(
  gateway: Gateway,
  url: string,
  database: KeyLookups,
  { graphqlIntrospection: tellsSchema, oidcIssuer }: Config,
  stopped: AbortSignal,
): Promise<void> {
  const firstKey = oidcIssuer === undefined ? await makeFirstKey(database, stopped) : undefined;
  const { stderr } = process;
  if (firstKey === undefined && !stderr.isTTY) {
    return;
  }
  // Most starts, and supervisors, don't need the schema here.
  const { loadStore } = await import('../store.ts');
  const { rest } = await loadStore(gateway);
  const key = firstKey === undefined ? '' : await newStore(url, rest, firstKey);
  const stop = stderr.isTTY ? 'Stop:                Ctrl-C\n' : '';
  stderr.write(`${key}\n${addresses(url, rest, tellsSchema)}${stop}\n`);
}

async function newStore(url: string, rest: Rest, key: string): Promise<string> {
  const { tagNameOf } = await import('@store-gateway/rest/openapi');
  const list = firstList(rest);
  const task =
    list === undefined
      ? 'list all addresses'
      : `list the ${tagNameOf(list.operation)} (there are none yet)`;
  return `
This is a new store. Its first API key, shown only once:

  API_KEY=${key}

After pasting that line into a shell, ${task}:

  curl -H "Authorization: Bearer $API_KEY" ${url}${rest.basePath}${list?.path ?? ''}
${process.stderr.isTTY ? linkWithKey(url, key) : ''}`;
}

/** A fragment is never sent to a server, and the page removes it from its address. */
function linkWithKey(url: string, key: string): string {
  return `
Or open this link to the store in a browser:

  ${url}/#API_KEY=${key}
`;
}

function addresses(url: string, { basePath }: Rest, tellsSchema: boolean): string {
  const link = (path: string) => styleText('bold', url + path, { stream: process.stderr });
  return `The store:           ${link('/')}
GraphiQL:            ${link('/graphql')}
REST documentation:  ${link('/docs')}
OpenAPI:             ${link(`${basePath}/openapi.json`)}
${tellsSchema ? `GraphQL schema:      ${link('/schema.graphql')}\n` : ''}
Create a key:        npm run --silent keys -- create NAME
`;
}

/** The first list that needs no parameters. */
function firstList({ routes }: Rest): PreparedRoute | undefined {
  return routes.find(
    ({ method, variables: { path, query } }) =>
      method === 'get' &&
      path.length === 0 &&
      query.some(([name]) => name === 'limit') &&
      !query.some(
        ([, { type, defaultValue }]) => isNonNullType(type) && defaultValue === undefined,
      ),
  );
}
