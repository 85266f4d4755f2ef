import { makeFirstKey } from '../auth/first-key.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/client.ts';
import { greeting } from './greeting.ts';

/** Makes the first key of a new store, and tells on stderr where the service is, and that key. */
export async function greet(
  url: string,
  database: Database,
  { graphqlIntrospection: tellsSchema }: Config,
  stopped: AbortSignal,
): Promise<void> {
  const firstKey = await makeFirstKey(database, stopped);
  process.stderr.write(greeting({ url, firstKey, tellsSchema }, process.stderr));
}
