import { tagNameOf } from '@gateway/graphql-rest/openapi/tag';
import type { Gateway } from '../gateway.ts';
import { firstList, loadStore } from '../store.ts';
import type { RestAddresses } from './greeting.ts';

/** Where the REST API of a gateway is, and its first list. */
export async function restAddresses(gateway: Gateway): Promise<RestAddresses> {
  const { rest } = await loadStore(gateway);
  const list = firstList(rest);
  return {
    basePath: rest.basePath,
    list: list && { path: list.path, nouns: tagNameOf(list.operation) },
  };
}
