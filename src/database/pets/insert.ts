import type { Pool } from 'pg';
import { inBatches, type Call } from '../batches.ts';
import { isFaultOfStatement } from '../failure.ts';
import type { PetStatus } from '../generated/enums.ts';
import { runStatement, type TextRow } from '../statement.ts';
import { statusOf, type PetRow } from './pet-row.ts';

export interface NewPetRow {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

/**
 * Ids are given out before anything is inserted, because nothing says in which order an INSERT returns
 * its rows: by its id each finds its caller.
 */
const INSERT = {
  name: 'insert-pets',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT nextval('pets_id_seq') AS id, name, category_id, status, number
      FROM unnest($1::text[], $2::bigint[], $3::pet_status[]) WITH ORDINALITY
        AS asked (name, category_id, status, number)
    ), inserted AS (
      INSERT INTO pets (id, name, category_id, status)
      SELECT id, name, category_id, status FROM asked
      RETURNING id, name, category_id, status
    )
    SELECT asked.number, inserted.* FROM inserted JOIN asked USING (id)`,
};

/**
 * Adds an animal, and answers when it is committed; those of a moment in one statement, which is one
 * transaction. Where the database refuses that for what is in it, each is tried alone, so that nobody is
 * refused for another's animal.
 */
export function createInsert(pool: Pool): (pet: NewPetRow) => Promise<PetRow> {
  return inBatches(togetherOrAlone((calls) => insert(pool, calls)));
}

/** Runs calls together, or, where the database finds fault with them, each alone. */
export function togetherOrAlone<Ask, Answer>(
  run: (calls: readonly Call<Ask, Answer>[]) => Promise<void>,
): (calls: readonly Call<Ask, Answer>[]) => Promise<void> {
  return async (calls) => {
    try {
      await run(calls);
    } catch (error) {
      if (calls.length === 1 || !isFaultOfStatement(error)) {
        throw error;
      }
      await Promise.all(calls.map((call) => run([call]).catch(call.reject)));
    }
  };
}

async function insert(pool: Pool, calls: readonly Call<NewPetRow, PetRow>[]): Promise<void> {
  const rows = await runStatement(pool, INSERT, columnsOf(calls.map(({ ask }) => ask)));
  if (rows.length < calls.length) {
    throw new Error('the database has taken animals without keeping them');
  }
  answer(calls, rows);
}

/** The values of the columns name, category_id and status: of each a list. */
function columnsOf(pets: readonly NewPetRow[]): string[][] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => String(categoryId)),
    pets.map(({ status }) => status),
  ];
}

/** Answers calls by rows of their number, from 1, and the animal: id, name, category_id, status. */
function answer(calls: readonly Call<unknown, PetRow>[], rows: readonly TextRow[]): void {
  for (const [number, id, name, categoryId, status] of rows) {
    calls[Number(number) - 1]?.resolve({
      id: id ?? '',
      name: name ?? '',
      categoryId: categoryId ?? '',
      status: statusOf(status ?? ''),
    });
  }
}
