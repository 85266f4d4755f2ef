import { animalsIn } from '../../support/store-reads.ts';
import type { ShardedStore } from './sharded-store.ts';

/** Small enough for many pages. */
const LIMIT = 7;

/** The ids that a client finds who reads on from page to page. */
export async function pagesAfter({ urls: [url = ''], key, ask }: ShardedStore, after: number) {
  const ids: string[] = [];
  for (let last = after; ;) {
    const answer = await ask(url, key, `GET /v1/pets?limit=${LIMIT}&after=${last}`);
    const page = answer.status === 200 ? animalsIn(answer) : undefined;
    if (page?.length === 0) return ids;
    for (const { id } of page ?? []) {
      ids.push(String(id));
      last = id;
    }
  }
}
