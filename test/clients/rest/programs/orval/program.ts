import { exactNumber } from '../exact.ts';
import { address, key, LARGE, tell } from '../outcomes.ts';
import { createPet, getGetPetUrl, listPets } from './generated/store.ts';

const retried = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
const body = { name: 'Rex', categoryId: exactNumber(LARGE) };
const first = await createPet(body, retried);
const again = await createPet(body, retried);
if (first.status !== 201 || again.status !== 201) {
  throw new Error(`${first.status}, ${again.status}`);
}

const names: string[] = [];
let pages = 0;
let after: number | undefined;
do {
  const page = await listPets({ limit: 2, ...(after !== undefined && { after }) });
  if (page.status !== 200) {
    throw new Error(String(page.status));
  }
  names.push(...page.data.map(({ name }) => name));
  pages += 1;
  after = page.headers.get('Link')?.includes('rel="next"') ? page.data.at(-1)?.id : undefined;
} while (after !== undefined);

// As Orval reads without a function of one's own.
const headers = { Authorization: `Bearer ${key}` };
const plain = await fetch(`${address}/v1${getGetPetUrl(first.data.id)}`, { headers });
const refused = await createPet({ name: '', categoryId: 7 });
tell({
  exact: BigInt(first.data.categoryId),
  alone: JSON.parse(await plain.text()).categoryId,
  names,
  pages,
  error: ['returned', refused.data],
  ids: [BigInt(first.data.id), BigInt(again.data.id)],
  status: first.data.status,
});
