import { exactFetch, stringify } from '../exact.ts';
import { address, key, LARGE, tell } from '../outcomes.ts';
import { createClient } from './generated/client/index.ts';
import { client } from './generated/client.gen.ts';
import { createPet, getPet, listPets } from './generated/sdk.gen.ts';

const options = { baseUrl: `${address}/v1`, auth: key };
client.setConfig({ ...options, fetch: exactFetch, bodySerializer: stringify });
const alone = createClient({ ...options, bodySerializer: stringify });

const create = {
  body: { name: 'Rex', categoryId: LARGE },
  headers: { 'Idempotency-Key': crypto.randomUUID() },
};
// JSON.parse rounds the number up beyond int64, and the validator rejects it, although the animal was created.
const refusedAnswer = await createPet({ ...create, client: alone });
const first = await createPet({ ...create, throwOnError: true });
const again = await createPet({ ...create, throwOnError: true });

const names: string[] = [];
let pages = 0;
let after: bigint | undefined;
do {
  const { data, response } = await listPets({
    query: { limit: 2, ...(after !== undefined && { after }) },
    throwOnError: true,
  });
  names.push(...data.map(({ name }) => name));
  pages += 1;
  after = response.headers.get('Link')?.includes('rel="next"') ? data.at(-1)?.id : undefined;
} while (after !== undefined);

const petId = first.data.id;
const { data: read } = await getPet({ path: { petId }, throwOnError: true });
const refused = await createPet({
  body: { name: 'Rex', categoryId: 7n, status: 'sold' },
  auth: 'no',
});
tell({
  exact: read.categoryId,
  alone:
    refusedAnswer.response?.status === 201 && refusedAnswer.data === undefined
      ? 'refused'
      : refusedAnswer.data?.categoryId,
  names,
  pages,
  error: ['returned', refused.error],
  ids: [first.data.id, again.data.id],
  status: first.data.status,
});
