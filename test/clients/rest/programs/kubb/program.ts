import { exactNumber } from '../exact.ts';
import { address, key, LARGE, tell } from '../outcomes.ts';
import { createPet } from './generated/clients/createPet.ts';
import { getPet } from './generated/clients/getPet.ts';
import { listPets } from './generated/clients/listPets.ts';
import type { Client } from './store-fetch.ts';

const retried = { 'Idempotency-Key': crypto.randomUUID() };
const body = { name: 'Rex', categoryId: exactNumber(LARGE) };
const { data: first } = await createPet(body, retried);
const { data: again } = await createPet(body, retried);

const names: string[] = [];
let pages = 0;
let after: number | undefined;
do {
  const { data, headers } = await listPets({ limit: 2, ...(after !== undefined && { after }) });
  names.push(...data.map(({ name }) => name));
  pages += 1;
  after = headers.get('Link')?.includes('rel="next"') ? data.at(-1)?.id : undefined;
} while (after !== undefined);

/** As the client that Kubb brings along reads. */
const plainFetch: Client = async ({ url }) => {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${address}/v1${url}`, { headers });
  return { data: await response.json(), status: response.status, headers: response.headers };
};
const rounded = await getPet(first.id, undefined, { client: plainFetch });
const refused: unknown = await createPet({ name: '', categoryId: 7 }).catch((error) => error);
tell({
  exact: BigInt(first.categoryId),
  alone: rounded.data.categoryId,
  names,
  pages,
  error: ['thrown', refused instanceof Error && refused.cause],
  ids: [BigInt(first.id), BigInt(again.id)],
  status: first.status,
});
