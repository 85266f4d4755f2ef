import { styleText } from 'node:util';

export interface Start {
  /** Where the service listens. */
  readonly url: string;
  /** The key that this start has made, if it is the first of the store. */
  readonly firstKey: string | undefined;
  /** Whether there is anything at /schema.graphql. */
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
  if (stream.isTTY) {
    const to = (path: string) => styleText('bold', url + path, { stream });
    return `${key}\n${addresses(to, tellsSchema)}\n`;
  }
  return key === '' ? '' : `${key}\n${continuation(url)}\n`;
}

function newStore(url: string, key: string): string {
  return `
This is a new store. Its first API key, shown this once:

  API_KEY=${key}

With that line pasted into a shell, list the animals, of which there are none yet:

  curl -H "Authorization: Bearer $API_KEY" ${url}/v1/pets
`;
}

/** Where a log may keep it: short. */
function continuation(url: string): string {
  return `GraphQL, and its playground in a browser: ${url}/graphql
More keys: npm run --silent keys -- --help
`;
}

function addresses(to: (path: string) => string, tellsSchema: boolean): string {
  return `The store:       ${to('/')}
The playground:  ${to('/graphql')}
The docs:        ${to('/docs')}
OpenAPI:         ${to('/v1/openapi.json')}
${tellsSchema ? `GraphQL schema:  ${to('/schema.graphql')}\n` : ''}
Make a key:      npm run --silent keys -- create NAME
Stop:            Ctrl-C
`;
}
