const PREFIX = 'key:';

/** Returns the name of the client that holds an API key. */
export function clientOfKey(keyId: bigint | string): string {
  return `${PREFIX}${keyId}`;
}

/** Whether a client is identified by an API key, rather than by its address. */
export function holdsKey(client: string): boolean {
  return client.startsWith(PREFIX);
}

/** The id of a client's key; undefined if the client is identified by its address. */
export function keyIdOf(client: string): string | undefined {
  return holdsKey(client) ? client.slice(PREFIX.length) : undefined;
}
