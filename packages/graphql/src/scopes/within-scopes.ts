import type { GraphQLError, GraphQLSchema } from 'graphql';
import { missingScopes, type Scopes } from '@store-gateway/ops/errors';
import { lackingScopes } from '../extensions/scopes.ts';
import type { ExecuteInTime, Operation } from '../execution/execute.ts';
import { scopesBeforeExecution } from './operation-scopes.ts';

/** Executes nothing of an operation whose caller lacks a scope that it needs before execution: the result is FORBIDDEN. */
export function withinScopes<Caller>(
  schema: GraphQLSchema,
  scopesOf: (caller: Caller) => Scopes,
  execute: ExecuteInTime<Caller>,
  onRefused?: (caller: Caller, operation: Operation, error: GraphQLError) => void,
): ExecuteInTime<Caller> {
  return (operation, request) => {
    const scopes = scopesOf(request.caller);
    if (scopes !== 'all') {
      const lacking = lackingScopes(scopes, scopesBeforeExecution({ schema, ...operation }));
      if (lacking.length > 0) {
        const error = missingScopes(lacking);
        onRefused?.(request.caller, operation, error);
        return Promise.resolve({ errors: [error] });
      }
    }
    return execute(operation, request);
  };
}
