import { deduplicatingClient } from '@gateway/batched-prisma/deduplicating-client';
import type { Context } from '../context.ts';
import { codedError } from '@gateway/errors/coded-error';
import { redactKeys } from '@gateway/log/redact-keys';
import { MAX_KEY_LENGTH, type Idempotency } from '@gateway/pothos-plugins/idempotency-plugin';

/**
 * Names for the creates under one idempotency key: the first one's is the key itself, which an argument may repeat,
 * others have names that no argument can have, since they are too long.
 */
export function namesWithin(idempotencyKey: string): () => string {
  let creates = 0;
  return () => {
    creates += 1;
    return creates === 1
      ? idempotencyKey
      : `${idempotencyKey}${'\n'.repeat(MAX_KEY_LENGTH)}${creates}`;
  };
}

/**
 * The context of a mutation, whose database makes each create once if the mutation's argument or its request has an
 * idempotency key.
 *
 * @throws BAD_USER_INPUT if the mutation takes none
 */
export function deduplicating(
  context: Context,
  argument: string | undefined,
  idempotency: Idempotency,
): Context {
  const nextName = argument === undefined ? context.nextName : namesWithin(argument);
  if (nextName === undefined) {
    return context;
  }
  if (idempotency === false) {
    throw codedError('BAD_USER_INPUT', 'This mutation takes no Idempotency-Key');
  }
  const { caller, database } = context;
  return {
    ...context,
    database: deduplicatingClient(database, {
      nextKey: () => ({ keyId: caller.keyId, name: storable(nextName()) }),
      reusedError: () => codedError('IDEMPOTENCY_KEY_REUSED', idempotency.reused),
    }),
  };
}

/** Names are stored as they are: an API key in the place of one would be readable there for a day. */
function storable(name: string): string {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not have an API key in it');
  }
  return name;
}
