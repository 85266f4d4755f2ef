import type { Caller } from '@gateway/api-keys/caller';
import type { OperationRequest } from '@gateway/graphql-server/execution/execute';
import type { MutationOutcome } from '@gateway/graphql-server/execution/mutations';
import { logRequest } from '@gateway/log/log';
import { loggedRequest } from '@gateway/log/request-context';

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
