const KEY = 'key:';

/** The client, to whatever is shared fairly, that a key's holder is. */
export function clientOfKey(keyId: bigint | string): string {
  return `${KEY}${keyId}`;
}

/** The id of the key whose holder a client is; undefined for one that is known by its address. */
export function keyIdOf(client: string): string | undefined {
  return client.startsWith(KEY) ? client.slice(KEY.length) : undefined;
}
