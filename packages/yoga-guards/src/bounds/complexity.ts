import {
  getOperationAST,
  GraphQLError,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { evaluateCost, type Cost, type Variables } from './cost.ts';
import { MAXIMUM_COMPLEXITY } from './limits.ts';
import { costOfOperation } from './operation-cost.ts';

interface Request {
  readonly schema: GraphQLSchema;
  /** Valid by the schema's rules. */
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  /** As they were sent. */
  readonly variableValues?: Variables | null | undefined;
}

/** Documents are parsed once and executed often. */
const costs = new WeakMap<OperationDefinitionNode, Cost>();

/** What an operation costs with these variables; 0 if the document doesn't have it. */
export function complexityOf(request: Request): number {
  const operation = operationOf(request);
  return operation == null ? 0 : costOf(request, operation);
}

/** Why an operation is too complex to be executed with these variables; undefined if it isn't. */
export function complexityFault(request: Request): GraphQLError | undefined {
  const operation = operationOf(request);
  const complexity = operation == null ? 0 : costOf(request, operation);
  return complexity <= MAXIMUM_COMPLEXITY
    ? undefined
    : new GraphQLError(
        `The operation has a complexity of ${complexity}; at most ${MAXIMUM_COMPLEXITY} is allowed, and a list counts by its limit`,
        {
          nodes: operation ?? null,
          // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400, spec: true } },
        },
      );
}

function operationOf({ document, operationName }: Request) {
  return getOperationAST(document, operationName);
}

function costOf(
  { schema, document, variableValues }: Request,
  operation: OperationDefinitionNode,
): number {
  let cost = costs.get(operation);
  if (cost === undefined) {
    cost = costOfOperation(schema, document, operation);
    costs.set(operation, cost);
  }
  return evaluateCost(cost, variableValues ?? {});
}
