import { exactFetch, exactNumber } from '../exact.ts';
import { address, key, LARGE, tell, unwrapError } from '../outcomes.ts';
import { Api } from './generated/store.ts';

const options = {
  baseUrl: `${address}/v1`,
  baseApiParams: { headers: { Authorization: `Bearer ${key}` } },
};
const { pets } = new Api({ ...options, customFetch: exactFetch });
const { pets: alone } = new Api(options);

const retried = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
const body = { name: 'Rex', categoryId: exactNumber(LARGE) };
const first = await pets.createPet(body, retried);
const again = await pets.createPet(body, retried);

const names: string[] = [];
let pages = 0;
let after: number | undefined;
do {
  const { data, headers } = await pets.listPets({
    limit: 2,
    ...(after !== undefined && { after }),
  });
  names.push(...data.map(({ name }) => name));
  pages += 1;
  after = headers.get('Link')?.includes('rel="next"') ? data.at(-1)?.id : undefined;
} while (after !== undefined);

const rounded = await alone.getPet(first.data.id);
const refused = await unwrapError(pets.createPet({ name: '', categoryId: 7 }));
tell({
  exact: BigInt(first.data.categoryId),
  alone: rounded.data.categoryId,
  names,
  pages,
  error: ['thrown', Reflect.get(Object(refused), 'error')],
  ids: [BigInt(first.data.id), BigInt(again.data.id)],
  status: first.data.status,
});
