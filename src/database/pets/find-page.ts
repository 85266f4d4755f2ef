import type { Pool } from 'pg';
import { inBatches, type Call } from '../batches.ts';
import type { PetStatus } from '../generated/enums.ts';
import { runStatement } from '@gateway/postgres/statement';
import { LIST_AS_TEXTS, petsIn, type PetRow } from './pet-row.ts';

export interface PageAsked {
  readonly status: PetStatus | undefined;
  /** Only animals with greater ids. */
  readonly after: bigint | undefined;
  readonly limit: number;
}

/**
 * A page for each of those asked. With a filter it is read off one index, without off the other: of the
 * two halves of the union only one is ever executed. The filter is no plain equality, because PostgreSQL
 * would take it for as good a plan to walk all animals by their ids and leave out the others: only the
 * index on (status, id) has this order.
 */
const FIND_PAGES = {
  name: 'find-pages',
  text: `
    SELECT page.*
    FROM unnest($1::pet_status[], $2::bigint[], $3::int[]) WITH ORDINALITY
      AS asked (status, smallest_id, "limit", number)
    CROSS JOIN LATERAL (
      SELECT asked.number, ${LIST_AS_TEXTS}
      FROM (
        (SELECT id, name, category_id, status FROM pets
         WHERE asked.status IS NOT NULL AND status <= asked.status
           AND (status, id) >= (asked.status, asked.smallest_id)
         ORDER BY status, id LIMIT asked."limit")
        UNION ALL
        (SELECT id, name, category_id, status FROM pets
         WHERE asked.status IS NULL AND id >= asked.smallest_id
         ORDER BY id LIMIT asked."limit")
      ) AS pet
    ) AS page`,
};

const SMALLEST_ID = -(2n ** 63n);
const LARGEST_ID = 2n ** 63n - 1n;

/** A page of the animals in the order of their ids; the pages of a moment in one statement. */
export function createFindPage(pool: Pool): (asked: PageAsked) => Promise<PetRow[]> {
  const findPage = inBatches<PageAsked, PetRow[]>((calls) => findPages(pool, calls));
  return async (asked) => (asked.after === LARGEST_ID ? [] : findPage(asked));
}

async function findPages(pool: Pool, calls: readonly Call<PageAsked, PetRow[]>[]): Promise<void> {
  const rows = await runStatement(pool, FIND_PAGES, [
    calls.map(({ ask }) => ask.status),
    calls.map(({ ask: { after } }) => String(after === undefined ? SMALLEST_ID : after + 1n)),
    calls.map(({ ask }) => ask.limit),
  ]);
  for (const [number, ...texts] of rows) {
    calls[Number(number) - 1]?.resolve(petsIn(texts));
  }
}
