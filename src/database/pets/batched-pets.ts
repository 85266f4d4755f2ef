import type { Pool } from 'pg';
import type { PetStatus } from '../generated/enums.ts';
import { createFindById } from './find-by-id.ts';
import { createFindPage } from './find-page.ts';
import { createPetOnce } from './create-once.ts';
import { createInsert, type NewPetRow } from './insert.ts';
import type { PetRow } from './pet-row.ts';

export interface FindMany {
  readonly where: { readonly status?: PetStatus; readonly id?: { readonly gt: bigint } };
  readonly orderBy: { readonly id: 'asc' };
  readonly take: number;
}

export interface FindUnique {
  readonly where: { readonly id: bigint };
}

export interface Create {
  readonly data: NewPetRow;
}

/**
 * Prisma's methods for animals, with as much of their arguments as the schema makes use of, on statements
 * that the calls of a moment share. For these to go together, animals are read whole, whichever of their
 * four columns is asked for. They take no part in a transaction of Prisma's.
 */
export function createBatchedPets({
  readPool,
  writePool,
}: {
  readonly readPool: Pool;
  readonly writePool: Pool;
}) {
  const findPage = createFindPage(readPool);
  const findById = createFindById(readPool);
  const insert = createInsert(writePool);
  return {
    findMany: ({ where: { status, id }, take }: FindMany): Promise<PetRow[]> =>
      findPage({ status, after: id?.gt, limit: take }),
    findUnique: ({ where }: FindUnique): Promise<PetRow | null> => findById(where.id),
    create: ({ data }: Create): Promise<PetRow> => insert(data),
    /** Not of Prisma's: adds an animal unless its caller has added one under this name in the last day. */
    createOnce: createPetOnce(writePool),
  };
}
