import type { Pool } from 'pg';
import { inBatches, type Call } from '../batches.ts';
import { runStatement } from '@gateway/postgres/statement';
import { LIST_AS_TEXTS, petsIn, type PetRow } from './pet-row.ts';

const FIND_BY_IDS = {
  name: 'find-by-ids',
  text: `SELECT ${LIST_AS_TEXTS} FROM pets WHERE id = ANY ($1::bigint[])`,
};

/** One animal, or null; those of a moment in one statement. */
export function createFindById(pool: Pool): (id: bigint) => Promise<PetRow | null> {
  return inBatches((calls) => findByIds(pool, calls));
}

async function findByIds(pool: Pool, calls: readonly Call<bigint, PetRow | null>[]): Promise<void> {
  const ids = calls.map(({ ask }) => String(ask));
  const [texts = []] = await runStatement(pool, FIND_BY_IDS, [ids]);
  const pets = new Map(petsIn(texts).map((pet) => [pet.id, pet]));
  calls.forEach(({ resolve }, index) => {
    resolve(pets.get(ids[index] ?? '') ?? null);
  });
}
