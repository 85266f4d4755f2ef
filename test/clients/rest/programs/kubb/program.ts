import { client as fetchAlone } from '@kubb/plugin-client/clients/fetch';
import { exactNumber } from '../exact.ts';
import { address, key, LARGE, tell, unwrapError } from '../outcomes.ts';
import { createPet } from './generated/clients/createPet.ts';
import { listPets } from './generated/clients/listPets.ts';
import type { Pet } from './generated/types/Pet.ts';

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

// Uses the client that comes with Kubb.
const rounded = await fetchAlone<Pet>({
  method: 'GET',
  baseURL: `${address}/v1`,
  url: `/pets/${first.id}`,
  headers: { Authorization: `Bearer ${key}` },
});
const refused = await unwrapError(createPet({ name: '', categoryId: 7 }));
tell({
  exact: BigInt(first.categoryId),
  alone: rounded.data.categoryId,
  names,
  pages,
  error: ['thrown', refused instanceof Error && refused.cause],
  ids: [BigInt(first.id), BigInt(again.id)],
  status: first.status,
});
