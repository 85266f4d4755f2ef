import type { GraphQLSchema } from 'graphql';
import type { Caller } from '@store-gateway/access';
import {
  type Operation,
  type OperationRequest,
  refusedMutations,
  type MutationOutcome,
} from '@store-gateway/graphql/execution';
import { logRequest, loggedRequest } from '@store-gateway/ops';

/**
 * Logs the line of a mutation. It isn't part of its request's line, which is written when the client has its answer, or has
 * gone: a mutation may take longer.
 */
export function logMutation(
  { caller }: Pick<OperationRequest<Caller>, 'caller'>,
  { operation, ids, outcome }: MutationOutcome,
): void {
  const { id: requestId, traceId } = loggedRequest() ?? {};
  logRequest({ requestId, traceId, keyId: caller.name, operation, ids, outcome }, 'mutation');
}

/** Logs the mutations of an operation that was refused before it was executed. */
export function createRefusalLog(schema: GraphQLSchema) {
  return (caller: Caller, operation: Operation, error: unknown): void => {
    for (const mutation of refusedMutations({ schema, ...operation }, error)) {
      logMutation({ caller }, mutation);
    }
  };
}
