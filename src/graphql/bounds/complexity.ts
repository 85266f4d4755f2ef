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

/** Why an operation is too complex to be executed with these variables; undefined if it isn't. */
export function complexityFault({
  schema,
  document,
  operationName,
  variableValues,
}: Request): GraphQLError | undefined {
  const operation = getOperationAST(document, operationName);
  if (operation == null) {
    return undefined;
  }
  let cost = costs.get(operation);
  if (cost === undefined) {
    cost = costOfOperation(schema, document, operation);
    costs.set(operation, cost);
  }
  const complexity = evaluateCost(cost, variableValues ?? {});
  return complexity <= MAXIMUM_COMPLEXITY
    ? undefined
    : new GraphQLError(
        `The operation has a complexity of ${complexity}; at most ${MAXIMUM_COMPLEXITY} is allowed, and a list counts by its limit`,
        {
          nodes: operation,
          // `spec`: the request is well-formed, so a client that asks for application/json gets 200.
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400, spec: true } },
        },
      );
}
