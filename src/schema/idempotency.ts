import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import type { NewPetRow } from '../database/pets/insert.ts';
import type { PetRow } from '../database/pets/pet-row.ts';
import { codedError } from '../errors.ts';

export const OTHER_ANIMAL = 'This Idempotency-Key has added another animal';

/**
 * What the caller has named an addition: by an argument of the field, or with the whole request, in which
 * there may be several, each told by its key in the response.
 */
export function nameOf(
  argument: string | null | undefined,
  { idempotencyKey }: Context,
  { path, fieldName }: GraphQLResolveInfo,
): string | undefined {
  if (argument != null || idempotencyKey === undefined) {
    return argument ?? undefined;
  }
  // No key has a line feed in it.
  return path.key === fieldName ? idempotencyKey : `${idempotencyKey}\n${path.key}`;
}

/** Adds an animal, or tells of the one that the caller has added under this name before. */
export async function addOnce(
  data: NewPetRow,
  name: string,
  { database, caller }: Context,
): Promise<PetRow> {
  const first = await database.pet.createOnce({ data, keyId: caller.keyId, name });
  const isSame =
    first.name === data.name &&
    first.categoryId === String(data.categoryId) &&
    first.status === data.status;
  if (!isSame) {
    throw codedError('IDEMPOTENCY_KEY_REUSED', OTHER_ANIMAL);
  }
  return first;
}
