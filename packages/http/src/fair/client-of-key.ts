const PREFIX = 'key:';

/** Names the client that holds an API key. */
export function clientOfKey(keyId: bigint | string): string {
  return `${PREFIX}${keyId}`;
}

/** Whether a client holds an API key; another is known by its address. */
export function holdsKey(client: string): boolean {
  return client.startsWith(PREFIX);
}

/** The id of a client's key; undefined for a client that is known by its address. */
export function keyIdOf(client: string): string | undefined {
  return holdsKey(client) ? client.slice(PREFIX.length) : undefined;
}
