import {
  createDeduplicatedCreate,
  type Deduplicated,
  type DeduplicatedCreate,
} from '@gateway/batched-prisma/deduplicated-create';
import type { Pool } from 'pg';
import { inBatches } from '../batches.ts';
import { models } from '../generated/batched-models.ts';
import { runStatement } from '../statement.ts';
import { togetherOrAlone } from './insert.ts';
import { statusOf, type PetRow } from './pet-row.ts';

/** Until all models are batched: the deduplicated create of animals, on the batches and rows of this folder. */
export function createPetOnce(
  pool: Pool,
): (create: DeduplicatedCreate) => Promise<Deduplicated<PetRow>> {
  const { Pet } = models;
  if (Pet === undefined) {
    throw new Error('no model');
  }
  const createOnce = createDeduplicatedCreate(
    Pet,
    (statement, parameters) => runStatement(pool, statement, parameters),
    (run) =>
      inBatches(
        togetherOrAlone((calls) => run(calls.map(({ ask, ...call }) => ({ input: ask, ...call })))),
      ),
  );
  return async (create) => {
    const created = await createOnce(create);
    if (created.reused) {
      return created;
    }
    const { id, name, categoryId, status } = created.row;
    return {
      reused: false,
      row: {
        id: String(id),
        name: String(name),
        categoryId: String(categoryId),
        status: statusOf(String(status)),
      },
    };
  };
}
