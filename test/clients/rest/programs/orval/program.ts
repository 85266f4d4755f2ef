import { exactNumber } from '../exact.ts';
import { key, LARGE, tell } from '../outcomes.ts';
import { getPet } from './generated/alone.ts';
import { createPet, listPets } from './generated/store.ts';

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

const rounded = await getPet(first.data.id, { headers: { Authorization: `Bearer ${key}` } });
if (rounded.status !== 200) {
  throw new Error(String(rounded.status));
}
const refused = await createPet({ name: '', categoryId: 7 });
tell({
  exact: BigInt(first.data.categoryId),
  alone: rounded.data.categoryId,
  names,
  pages,
  error: ['returned', refused.data],
  ids: [BigInt(first.data.id), BigInt(again.data.id)],
  status: first.data.status,
});
