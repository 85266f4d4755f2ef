import type { Pool } from 'pg';
import type { BatchedRequest, CreateBatcher, RunBatch } from '@gateway/batched-prisma/batcher';
import type { TextRow } from '@gateway/batched-prisma/statement';
import { codedError } from '../../errors.ts';
import { isFaultOfStatement } from '../failure.ts';
import { PetStatus } from '../generated/enums.ts';
import type { Pet } from '../generated/client.ts';
import { runStatement } from '../statement.ts';

export type NewPetRow = Omit<Pet, 'id'>;

/** An animal to add once, however often it is asked for. */
export interface NamedPet {
  readonly data: NewPetRow;
  /** The caller's API key, and what the caller has named the addition. */
  readonly keyId: bigint;
  readonly name: string;
}

/**
 * Adds those whose names are free, or were taken more than a day ago. A name and its animal are written in
 * one transaction. One that is just being taken by another is waited for: PostgreSQL takes a name in a unique
 * index once the other has committed or failed. Two of the same name are the first one's, and names are taken
 * in one order, so that two statements never wait for each other in a circle.
 */
const INSERT_ONCE = {
  name: 'insert-pets-once',
  text: `
    WITH asked AS MATERIALIZED (
      SELECT nextval('pets_id_seq') AS id, pet_name, category_id, status, key_id, name, number
      FROM unnest($1::text[], $2::bigint[], $3::pet_status[], $4::bigint[], $5::text[]) WITH ORDINALITY
        AS asked (pet_name, category_id, status, key_id, name, number)
    ), named AS (
      INSERT INTO idempotency_keys AS taken (key_id, name, pet_id, pet_name, category_id, status)
      SELECT DISTINCT ON (key_id, name) key_id, name, id, pet_name, category_id, status
      FROM asked ORDER BY key_id, name, number
      ON CONFLICT (key_id, name) DO UPDATE
        SET pet_id = excluded.pet_id, pet_name = excluded.pet_name, category_id = excluded.category_id,
          status = excluded.status, created_at = excluded.created_at
        WHERE taken.created_at < now() - interval '1 day'
      RETURNING pet_id
    ), inserted AS (
      INSERT INTO pets (id, name, category_id, status)
      SELECT id, pet_name, category_id, status FROM asked JOIN named ON named.pet_id = asked.id
      RETURNING id, name, category_id, status
    )
    SELECT asked.number, inserted.* FROM inserted JOIN asked USING (id)`,
};

const FIND_NAMED = {
  name: 'find-pets-named',
  text: `
    SELECT asked.number, pet_id, pet_name, category_id, status
    FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS asked (key_id, name, number)
    JOIN idempotency_keys USING (key_id, name)`,
};

type NamedCall = BatchedRequest<NamedPet, Pet>;

/**
 * Adds an animal under a name of its caller's, and answers when both are committed; for a name that is taken
 * it answers with the animal as it was added, which may be another than the one that is asked for.
 */
export function createInsertOnce(
  pool: Pool,
  createBatcher: CreateBatcher,
): (pet: NamedPet) => Promise<Pet> {
  return createBatcher(togetherOrAlone((calls) => insertOnce(pool, calls)));
}

async function insertOnce(pool: Pool, calls: readonly NamedCall[]): Promise<void> {
  const rows = await runStatement(pool, INSERT_ONCE, [
    ...columnsOf(calls.map(({ input }) => input.data)),
    ...namesOf(calls),
  ]);
  answer(calls, rows);
  const added = new Set(rows.map(([number]) => Number(number)));
  const others = calls.filter((_call, index) => !added.has(index + 1));
  if (others.length > 0) {
    await findNamed(pool, others);
  }
}

/** In a statement of its own, since the first one doesn't see what others commit while it waits for them. */
async function findNamed(pool: Pool, calls: readonly NamedCall[]): Promise<void> {
  const rows = await runStatement(pool, FIND_NAMED, namesOf(calls));
  answer(calls, rows);
  if (rows.length < calls.length) {
    // Forgotten between the two statements, or put there by something else that wants its place.
    throw codedError('SERVICE_UNAVAILABLE', 'a name was taken, and is no longer');
  }
}

function namesOf(calls: readonly NamedCall[]): string[][] {
  return [calls.map(({ input }) => String(input.keyId)), calls.map(({ input }) => input.name)];
}

/** Runs calls together, or, where the database finds fault with them, each alone. */
function togetherOrAlone<Input, Output>(run: RunBatch<Input, Output>): RunBatch<Input, Output> {
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

/** The values of the columns name, category_id and status: of each a list. */
function columnsOf(pets: readonly NewPetRow[]): string[][] {
  return [
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => String(categoryId)),
    pets.map(({ status }) => status),
  ];
}

/** Answers calls by rows of their number, from 1, and the animal: id, name, category_id, status. */
function answer(calls: readonly NamedCall[], rows: readonly TextRow[]): void {
  for (const [number, id, name, categoryId, status] of rows) {
    calls[Number(number) - 1]?.resolve({
      id: BigInt(id ?? ''),
      name: name ?? '',
      categoryId: BigInt(categoryId ?? ''),
      status: statusOf(status ?? ''),
    });
  }
}

function statusOf(text: string): PetStatus {
  switch (text) {
    case PetStatus.available:
    case PetStatus.pending:
    case PetStatus.sold:
      return text;
    default:
      throw new Error(`PostgreSQL knows a status that this program does not: ${text}`);
  }
}
