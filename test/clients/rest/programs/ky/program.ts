import ky, { isHTTPError, type KyResponse } from 'ky';
import { keepDigits, stringify } from '../exact.ts';
import { address, key, LARGE, tell, unwrapError } from '../outcomes.ts';

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const alone = ky.create({
  baseUrl: `${address}/v1/`,
  headers: { Authorization: `Bearer ${key}` },
});
const store = alone.extend({
  parseJson: (text) => JSON.parse(text, keepDigits),
  stringifyJson: stringify,
});

const retried = {
  json: { name: 'Rex', categoryId: LARGE },
  headers: { 'Idempotency-Key': crypto.randomUUID() },
};
const first = await store.post('pets', retried).json<Pet>();
const again = await store.post('pets', retried).json<Pet>();

const names: string[] = [];
let pages = 0;
let next: URL | undefined = new URL('pets?limit=2', `${address}/v1/`);
while (next) {
  const response: KyResponse = await store.get(next);
  names.push(...(await response.json<Pet[]>()).map(({ name }) => name));
  pages += 1;
  const link = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  // A relative link is relative to the URL of its response.
  next = link === undefined ? undefined : new URL(link, response.url);
}

const rounded = await alone.get(`pets/${first.id}`).json<Pet>();
const refused = await unwrapError(store.post('pets', { json: { name: '', categoryId: 7 } }).json());
tell({
  exact: BigInt(first.categoryId),
  alone: rounded.categoryId,
  names,
  pages,
  error: ['thrown', isHTTPError(refused) ? refused.data : refused],
  ids: [BigInt(first.id), BigInt(again.id)],
  status: first.status,
});
