import { getOperationAST, GraphQLError } from 'graphql';
import { memoizePerOperation, type ValidOperation } from '../execution/memoize-per-operation.ts';
import { amountWith } from './amount.ts';
import { MAX_COMPLEXITY } from './limits.ts';
import { costOfOperation } from './operation-cost.ts';

const costOf = memoizePerOperation(costOfOperation);

/** What an operation costs with its variables; 0 if the document doesn't have it. */
export function complexityOf(operation: ValidOperation): number {
  const hasOperation = getOperationAST(operation.document, operation.operationName) !== null;
  return hasOperation ? amountWith(costOf(operation), operation.variableValues ?? {}) : 0;
}

/** Why an operation is too complex to be executed with its variables; undefined if it isn't. */
export function complexityFault(operation: ValidOperation): GraphQLError | undefined {
  const complexity = complexityOf(operation);
  return complexity <= MAX_COMPLEXITY
    ? undefined
    : new GraphQLError(
        `The operation has a complexity of ${complexity}; at most ${MAX_COMPLEXITY} is allowed, and a list counts by its limit`,
        {
          nodes: getOperationAST(operation.document, operation.operationName) ?? null,
          // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400, spec: true } },
        },
      );
}
