const PREFIX = 'key:';

/** Names the client that holds an API key. */
export function clientOfKey(keyId: bigint | string): string {
  return `${PREFIX}${keyId}`;
}

/** The id of a client's key; undefined for a client that is known by its address. */
export function keyIdOf(client: string): string | undefined {
  return client.startsWith(PREFIX) ? client.slice(PREFIX.length) : undefined;
}
