import { styleText } from 'node:util';

export interface Start {
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
  { url, firstKey, tellsSchema }: Start,
  stream: NodeJS.WriteStream,
): string {
  const key = firstKey === undefined ? '' : newStore(url, firstKey);
  if (!stream.isTTY) {
    // Short, for logs.
    return key && `${key}\n${MORE(url)}\n`;
  }
  const link = (path: string) => styleText('bold', url + path, { stream });
  return `${key}
The store:       ${link('/')}
The playground:  ${link('/graphql')}
The docs:        ${link('/docs')}
OpenAPI:         ${link('/v1/openapi.json')}
${tellsSchema ? `GraphQL schema:  ${link('/schema.graphql')}\n` : ''}
Make a key:      npm run --silent keys -- create NAME
Stop:            Ctrl-C

`;
}

function newStore(url: string, key: string): string {
  return `
This is a new store. Its first API key, shown this once:

  API_KEY=${key}

With that line pasted into a shell, list the animals, of which there are none yet:

  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/pets
`;
}

const MORE = (url: string) => `GraphQL, and its playground in a browser: ${url}/graphql
More keys: npm run --silent keys -- --help
`;
