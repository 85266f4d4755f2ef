import { tagNameOf } from '@gateway/pothos-rest/openapi/tag';
import type { Gateway } from '../gateway.ts';
import { createStore } from '../store.ts';
import type { RestAddresses } from './greeting.ts';

/** Where the REST API of a gateway is, and its first list. */
export async function restAddresses(gateway: Gateway): Promise<RestAddresses> {
  const { rest } = createStore(await gateway.load());
  const list = rest.routes.find(
    ({ method, variables }) => method === 'get' && variables.path.length === 0,
  );
  return {
    basePath: rest.basePath,
    list: list && { path: list.path, nouns: tagNameOf(list.operation) },
  };
}
