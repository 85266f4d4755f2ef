import { makeFirstKey } from '../auth/first-key.ts';
import type { KeyDatabase } from '../auth/key-records.ts';
import type { Config } from '../config/config.ts';
import { tagNameOf } from '@gateway/pothos-rest/openapi/tag';
import type { Gateway } from '../gateway.ts';
import { createStore } from '../store.ts';
import { greeting } from './greeting.ts';

/** Makes the first key of a new store, and tells on stderr where the service is, and that key. */
export async function greet(
  gateway: Gateway,
  url: string,
  database: KeyDatabase,
  { graphqlIntrospection: tellsSchema }: Config,
  stopped: AbortSignal,
): Promise<void> {
  const firstKey = await makeFirstKey(database, stopped);
  const { stderr } = process;
  if (firstKey === undefined && !stderr.isTTY) {
    return;
  }
  // A supervisor does without it otherwise.
  const { rest } = createStore(await gateway.load());
  const list = rest.routes.find(
    ({ method, variables }) => method === 'get' && variables.path.length === 0,
  );
  const api = {
    basePath: rest.basePath,
    list: list && { path: list.path, nouns: tagNameOf(list.operation) },
  };
  stderr.write(greeting({ url, api, firstKey, tellsSchema }, stderr));
}
