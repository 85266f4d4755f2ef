import type { GraphQLError } from 'graphql';
import { deduplicatingClient } from '@store-gateway/batched-prisma/deduplicating-client';
import type { Idempotency } from '@store-gateway/schema-extensions/extensions';
import type { Context } from '../context.ts';
import { codedError } from '@store-gateway/errors/coded-error';
import { redactKeys } from '@store-gateway/log/redact-keys';
import { MAX_KEY_LENGTH } from '@store-gateway/pothos-plugins/idempotency';

/**
 * The keys of the writes under one idempotency key: the first is the key itself, which an argument may repeat; others are
 * longer than any argument.
 */
export function keySequence(idempotencyKey: string): () => string {
  let writes = 0;
  return () => {
    writes += 1;
    return writes === 1
      ? idempotencyKey
      : `${idempotencyKey}${'\n'.repeat(MAX_KEY_LENGTH)}${writes}`;
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
  request: () => string,
): ContextOfStore {
  const nextKey = argument === undefined ? context.nextKey : keySequence(argument);
  if (nextKey === undefined) {
    return context;
  }
  if (idempotency === false) {
    throw takesNoKey();
  }
  const { caller, database } = context;
  return {
    ...context,
    database: deduplicatingClient(database, {
      nextKey: () => ({ keyId: caller.id, name: storable(nextKey()) }),
      request,
      onReplay: context.onReplay,
      reusedError: () => codedError('IDEMPOTENCY_KEY_REUSED', idempotency.reused),
      unrepeatableError: takesNoKey,
    }),
  };
}

function takesNoKey(): GraphQLError {
  return codedError('BAD_USER_INPUT', 'This mutation does not accept an Idempotency-Key');
}

/** Rejects API keys in place of idempotency keys, which are stored as they are for a day. */
function storable(name: string): string {
  if (redactKeys(name) !== name) {
    throw codedError('BAD_USER_INPUT', 'Idempotency-Key must not contain an API key');
  }
  return name;
}
