import { makeFirstKey } from '@gateway/api-keys/first-key';
import type { KeyLookups } from '@gateway/api-keys/key-lookups';
import type { Config } from '../config/config.ts';
import type { Gateway } from '../gateway.ts';
import { greeting } from './greeting.ts';

/** Makes the first key of a new store, and tells on stderr where the service is, and that key. */
export async function greet(
  gateway: Gateway,
  url: string,
  database: KeyLookups,
  { graphqlIntrospection: tellsSchema }: Config,
  stopped: AbortSignal,
): Promise<void> {
  const firstKey = await makeFirstKey(database, stopped);
  const { stderr } = process;
  if (firstKey === undefined && !stderr.isTTY) {
    return;
  }
  // Most starts, and supervisors, do without the schema here.
  const { restAddresses } = await import('./rest-addresses.ts');
  const api = await restAddresses(gateway);
  stderr.write(greeting({ url, api, firstKey, tellsSchema }, stderr));
}
