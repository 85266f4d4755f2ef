import type { Context } from '../definition.ts';
import { deduplicatingClient } from '@store-gateway/data';
import type { Idempotency } from '@store-gateway/graphql';
import { codedError, keyNotAccepted } from '@store-gateway/ops/errors';
import { redactKeys } from '@store-gateway/ops';
import { MAX_KEY_LENGTH, type DeduplicatedWrite } from '@store-gateway/resource';

/**
 * Returns a function that derives a name for each of a mutation's writes from its idempotency key. The names don't depend on
 * whether other mutations of the request succeed. The first write of the first mutation gets the key itself, because a client may
 * also pass the key as an argument; other names are longer than any argument.
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
 * Returns the context for a mutation. Its database client deduplicates writes if the mutation's argument or the request's header
 * contains an idempotency key.
 *
 * @throws BAD_USER_INPUT if the mutation accepts no idempotency key
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

/** Rejects an idempotency key that contains an API key, because idempotency keys are stored in plain text for a day. */
function storable(name: string): string {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not contain an API key');
  }
  return name;
}
