import type { Context } from '../definition.ts';
import { deduplicatingClient } from '@store-gateway/data';
import type { Idempotency } from '@store-gateway/graphql';
import { codedError, keyNotAccepted } from '@store-gateway/ops/errors';
import { redactKeys } from '@store-gateway/ops';
import { MAX_KEY_LENGTH, type DeduplicatedWrite } from '@store-gateway/resource';

/**
 * The keys of a mutation's writes under an idempotency key. They don't depend on what other mutations of the request do or
 * fail to do. The first write of the first mutation has the key itself, which an argument may repeat; others are longer
 * than any argument.
 */
function keySequence(idempotencyKey: string, place: number): () => string {
  let writes = 0;
  return () => {
    writes += 1;
    const name = writes === 1 ? String(place) : `${place}.${writes}`;
    return name === '1' ? idempotencyKey : `${idempotencyKey}${'\n'.repeat(MAX_KEY_LENGTH)}${name}`;
  };
}

/**
 * The context of a mutation, whose database deduplicates writes if the mutation's argument or its request has an idempotency
 * key.
 *
 * @throws BAD_USER_INPUT if the mutation takes none
 */
export function deduplicating<ContextOfStore extends Context>(
  context: ContextOfStore,
  argument: string | undefined,
  idempotency: Idempotency,
  { request, place }: DeduplicatedWrite,
): ContextOfStore {
  const key = argument ?? context.idempotencyKey;
  if (key === undefined) {
    return context;
  }
  if (idempotency === false) {
    throw keyNotAccepted();
  }
  const { caller, database } = context;
  const nextKey = keySequence(key, argument === undefined ? place() : 1);
  return {
    ...context,
    database: deduplicatingClient(database, {
      nextKey: () => ({ keyId: caller.id, name: storable(nextKey()) }),
      request,
      onReplay: context.onReplay,
      reusedError: () => codedError('IDEMPOTENCY_KEY_REUSED', idempotency.reused),
      missingRowError: () => codedError('GONE', idempotency.gone),
      unrepeatableError: keyNotAccepted,
    }),
  };
}

/** Rejects API keys in place of idempotency keys, which are stored as they are for a day. */
function storable(name: string): string {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not contain an API key');
  }
  return name;
}
