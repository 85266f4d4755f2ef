import { deduplicatingClient } from '@gateway/batched-prisma/deduplicating-client';
import type { Context } from '../context.ts';
import { codedError } from '@gateway/errors/coded-error';
import { redactKeys } from '@gateway/log/redact-keys';
import { MAX_KEY_LENGTH, type Idempotency } from '@gateway/pothos-plugins/idempotency-plugin';

/**
 * The keys of a request's creates: the first one's is the request's own, which an argument may repeat. Later ones are
 * derived from it, and longer than any that a client may send.
 */
export function derivedKeys(idempotencyKey: string): () => string {
  let creates = 0;
  return () => {
    creates += 1;
    return creates === 1
      ? idempotencyKey
      : `${idempotencyKey}${'\n'.repeat(MAX_KEY_LENGTH)}${creates}`;
  };
}

/**
 * The context of a mutation, whose database deduplicates creates if the mutation's argument or its request has an
 * idempotency key.
 *
 * @throws BAD_USER_INPUT if the mutation takes none
 */
export function deduplicating(
  context: Context,
  argument: string | undefined,
  idempotency: Idempotency,
): Context {
  const nextKey = argument === undefined ? context.nextIdempotencyKey : derivedKeys(argument);
  if (nextKey === undefined) {
    return context;
  }
  if (idempotency === false) {
    throw codedError('BAD_USER_INPUT', 'This mutation takes no Idempotency-Key');
  }
  const { caller, database } = context;
  return {
    ...context,
    database: deduplicatingClient(database, {
      nextKey: () => ({ keyId: caller.keyId, name: storable(nextKey()) }),
      reusedError: () => codedError('IDEMPOTENCY_KEY_REUSED', idempotency.reused),
    }),
  };
}

/** @throws BAD_USER_INPUT for an idempotency key that has an API key in it: it would be stored readably for a day */
function storable(key: string): string {
  if (redactKeys(key) !== key) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not have an API key in it');
  }
  return key;
}
