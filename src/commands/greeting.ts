import { styleText } from 'node:util';

export interface Start {
  /** Where the service listens. */
  readonly url: string;
  /** The key that this start has made, if it is the first of the store. */
  readonly firstKey: string | undefined;
  /** Whether there is a /schema.graphql. */
  readonly tellsSchema: boolean;
}

/**
 * What a start says to the person in front of it: the first key, this once, and on a terminal the addresses.
 *
 * @param stream where it will be written
 */
export function greeting(
  { url, firstKey, tellsSchema }: Start,
  stream: NodeJS.WriteStream,
): string {
  const key = firstKey === undefined ? '' : newStore(url, firstKey);
  if (!stream.isTTY) {
    // A log may keep it: short.
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
