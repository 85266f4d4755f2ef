import createClient from 'openapi-fetch';
import { exactFetch, exactNumber } from '../exact.ts';
import { address, key, LARGE, tell } from '../outcomes.ts';
import type { components, paths } from './generated/store.d.ts';

const options = { baseUrl: `${address}/v1`, headers: { Authorization: `Bearer ${key}` } };
const store = createClient<paths>({ ...options, fetch: exactFetch });
const alone = createClient<paths>(options);

const retried = { params: { header: { 'Idempotency-Key': crypto.randomUUID() } } };
const body: components['schemas']['NewPet'] = { name: 'Rex', categoryId: exactNumber(LARGE) };
const first = await store.POST('/pets', { ...retried, body });
const again = await store.POST('/pets', { ...retried, body });
if (first.data === undefined || again.data === undefined) {
  throw new Error(first.error?.code ?? again.error?.code);
}

const names: string[] = [];
let pages = 0;
let after: number | undefined;
do {
  const { data = [], response } = await store.GET('/pets', {
    params: { query: { limit: 2, ...(after !== undefined && { after }) } },
  });
  names.push(...data.map(({ name }) => name));
  pages += 1;
  after = response.headers.get('Link')?.includes('rel="next"') ? data.at(-1)?.id : undefined;
} while (after !== undefined);

const petId = first.data.id;
const rounded = await alone.GET('/pets/{petId}', { params: { path: { petId } } });
const refused = await store.POST('/pets', { body: { name: '', categoryId: 7 } });
tell({
  exact: BigInt(first.data.categoryId),
  alone: rounded.data?.categoryId,
  names,
  pages,
  error: ['returned', refused.error],
  ids: [BigInt(first.data.id), BigInt(again.data.id)],
  status: first.data.status,
});
