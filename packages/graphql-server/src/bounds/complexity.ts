import { getOperationAST, GraphQLError } from 'graphql';
import { memoizePerOperation, type ValidOperation } from '../execution/memoize-per-operation.ts';
import { evaluateCost } from './cost.ts';
import { MAX_COMPLEXITY } from './limits.ts';
import { costOfOperation } from './operation-cost.ts';

const costOf = memoizePerOperation(costOfOperation);

/** What an operation costs with its variables; 0 if the document doesn't have it. */
export function complexityOf(request: ValidOperation): number {
  const hasOperation = getOperationAST(request.document, request.operationName) !== null;
  return hasOperation ? evaluateCost(costOf(request), request.variableValues ?? {}) : 0;
}

/** Why an operation is too complex to be executed with its variables; undefined if it isn't. */
export function complexityFault(request: ValidOperation): GraphQLError | undefined {
  const complexity = complexityOf(request);
  return complexity <= MAX_COMPLEXITY
    ? undefined
    : new GraphQLError(
        `The operation has a complexity of ${complexity}; at most ${MAX_COMPLEXITY} is allowed, and a list counts by its limit`,
        {
          nodes: getOperationAST(request.document, request.operationName) ?? null,
          // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400, spec: true } },
        },
      );
}
