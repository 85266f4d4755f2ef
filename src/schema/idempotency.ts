import type { Context } from '../context.ts';
import type { NewPetRow } from '../database/pets/insert.ts';
import type { PetRow } from '../database/pets/pet-row.ts';
import { codedError } from '@gateway/errors/coded-error';
import { redactKeys } from '@gateway/log/redact-keys';

/** Characters of the name that an argument may give. */
export const MAXIMUM_LENGTH = 255;

export const OTHER_ANIMAL = 'This Idempotency-Key has added another animal';

/**
 * Names for what is added by a request that its caller has named: for the first thing the very name, which an
 * argument may repeat, for others names that no argument can have, since they are too long.
 */
export function namesWithin(idempotencyKey: string): () => string {
  let named = 0;
  return () => {
    named += 1;
    return named === 1 ? idempotencyKey : `${idempotencyKey}${'\n'.repeat(MAXIMUM_LENGTH)}${named}`;
  };
}

/**
 * Adds an animal, or tells of the one that the caller has added under this name before. Names are stored as they are, and
 * an API key that is sent in the place of one would be readable there for a day.
 */
export async function addOnce(
  data: NewPetRow,
  name: string,
  { database, caller }: Context,
): Promise<PetRow> {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not have an API key in it');
  }
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
