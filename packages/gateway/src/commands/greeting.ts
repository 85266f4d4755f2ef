import { styleText } from 'node:util';

/** Where the REST API is. */
export interface RestAddresses {
  readonly basePath: string;
  /** The first list, below it, if there is one. */
  readonly list: { readonly path: string; readonly nouns: string } | undefined;
}

export interface Start {
  readonly api: RestAddresses;
  /** Where the service listens. */
  readonly url: string;
  /** The key, if this start has created the store's first one. */
  readonly firstKey: string | undefined;
  /** Whether there is a /schema.graphql. */
  readonly tellsSchema: boolean;
}

/**
 * The message of a start: the first key, shown once, and on a terminal the addresses.
 *
 * @param stream where it will be written
 */
export function greeting(
  { url, api, firstKey, tellsSchema }: Start,
  stream: NodeJS.WriteStream,
): string {
  const key = firstKey === undefined ? '' : newStore(url, api, firstKey);
  if (!stream.isTTY) {
    // Short, for logs.
    return key && `${key}\n${MORE(url)}\n`;
  }
  const link = (path: string) => styleText('bold', url + path, { stream });
  return `${key}
The store:       ${link('/')}
The playground:  ${link('/graphql')}
The docs:        ${link('/docs')}
OpenAPI:         ${link(`${api.basePath}/openapi.json`)}
${tellsSchema ? `GraphQL schema:  ${link('/schema.graphql')}\n` : ''}
Make a key:      npm run --silent keys -- create NAME
Stop:            Ctrl-C

`;
}

function newStore(url: string, { basePath, list }: RestAddresses, key: string): string {
  const task =
    list === undefined
      ? 'ask for all addresses'
      : `list the ${list.nouns}, of which there are none yet`;
  return `
This is a new store. Its first API key, shown this once:

  API_KEY=${key}

With that line pasted into a shell, ${task}:

  curl -H "Authorization: Bearer $API_KEY" ${url}${basePath}${list?.path ?? ''}
`;
}

const MORE = (url: string) => `GraphQL, and its playground in a browser: ${url}/graphql
More keys: npm run --silent keys -- --help
`;
