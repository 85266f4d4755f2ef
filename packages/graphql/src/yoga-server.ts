import {
  getOperationAST,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
  type ValidationRule,
  type DocumentNode,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { parseWithinBounds, validateWithinBounds } from './bounds/document.ts';
import { maskError } from './http-response.ts';
import type { GraphQLParams } from './request-parameters.ts';
import { LRUCache } from 'lru-cache';
import { nameOperation } from '@store-gateway/ops';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './marks/deprecations.ts';
import { memoizePerOperation, type ValidOperation } from './execution/operation.ts';
import { selectedFields } from './marks/uses.ts';

/** A schema, and how its operations are executed. */
interface YogaServerOptions<Context extends OperationContext> {
  readonly schema: GraphQLSchema;
  /** Besides GraphQL's own; by default none. */
  readonly validationRules?: readonly ValidationRule[];
  readonly execute: ExecuteValid<Context>;
}

/** The result of a request, which may be of a GET; rejects with what `execute` rejects with. */
type ResultOf<Context> = (
  params: GraphQLParams,
  isGet: boolean,
  context: Context,
) => Promise<ExecutionResult>;

/** Yoga only reads the method. */
const GET = new Request('http://localhost/graphql');
const POST = new Request('http://localhost/graphql', { method: 'POST' });

/**
 * Takes requests from their parameters to their results: Yoga parses, validates and rejects documents that are new, and what
 * was valid before is executed at once. So a plugin of Yoga's or Envelop's would see hardly any request, and there is no place
 * for any: what concerns documents is a validation rule, what concerns each operation is done by `execute`.
 */
export function createYogaServer<Context extends OperationContext>({
  schema,
  validationRules = [],
  execute,
}: YogaServerOptions<Context>): ResultOf<Context> {
  const valid = createDocumentCache();
  const executeValid = guardExecution(execute);
  const plugin: Plugin<Context> = {
    onParse({ setParseFn }) {
      setParseFn(parseWithinBounds);
    },
    onValidate({ setValidationFn, addValidationRule }) {
      setValidationFn(validateWithinBounds);
      validationRules.forEach((rule) => addValidationRule(rule));
    },
    // Only valid documents come to be executed.
    onExecute({ args, context, setExecuteFn }) {
      const operation: ExecutionArgs = args;
      valid.set(context.params.query ?? '', operation.document);
      setExecuteFn(() => executeValid(operation, context));
    },
  };
  // Yoga takes a request's parameters to its result, and does no HTTP.
  const { getResultForParams } = createYoga<Context>({
    schema,
    plugins: [plugin],
    maskedErrors: { maskError, errorMessage: '' },
    // Errors are logged where they are masked.
    logging: false,
    cors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
  });

  /** The known document that has the operation; Yoga has the errors for all others. */
  const documentOf = ({ query = '', operationName }: GraphQLParams, isGet: boolean) => {
    const document = valid.get(query);
    const operation = document && getOperationAST(document, operationName);
    const mayBeAsked = !isGet || operation?.operation === OperationTypeNode.QUERY;
    return operation != null && mayBeAsked ? document : undefined;
  };

  const resultByYoga: ResultOf<Context> = async (params, isGet, context) => {
    const result = await getResultForParams({ params, request: isGet ? GET : POST }, context);
    if (result === undefined || Symbol.asyncIterator in result) {
      throw new Error('the schema has no operation with more than one result');
    }
    return result;
  };

  return (params, isGet, context) => {
    const document = documentOf(params, isGet);
    if (document === undefined) {
      return resultByYoga(params, isGet, context);
    }
    const { operationName, variables: variableValues } = params;
    return executeValid({ schema, document, operationName, variableValues }, context);
  };
}

/** With Yoga's own bound, 1024 documents of any size, callers could fill 500 MB. */
const MAX_BYTES = 30_000_000;

/** What a parsed document takes at most. */
const BYTES_PER_TOKEN = 1000;
const BYTES_PER_CHARACTER = 2;

/**
 * Caches valid documents parsed, by their text, since most are sent again. Rejected ones shall not be cached: their errors retain
 * everything that was in use when they were made, and rejecting a document again takes no longer than the first time.
 */
function createDocumentCache(): LRUCache<string, DocumentNode> {
  return new LRUCache({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tokenCount = 1 }, text) =>
      BYTES_PER_TOKEN * tokenCount + BYTES_PER_CHARACTER * text.length,
  });
}

/** Learns what the operation uses that is deprecated. */
export interface OperationContext extends Record<string, unknown> {
  deprecation?: SelectedDeprecation | undefined;
}

/** Executes an operation of a validated document. */
type ExecuteValid<Context extends OperationContext> = (
  operation: ValidOperation,
  context: Context,
) => Promise<ExecutionResult>;

/**
 * Names operations, notes what is deprecated, and rejects what is too complex, before anything is executed. Of variables those
 * that the operation declares are passed on.
 */
function guardExecution<Context extends OperationContext>(
  execute: ExecuteValid<Context>,
): ExecuteValid<Context> {
  return (operation, context) => {
    // First: the response to an operation that is rejected announces it, too.
    context.deprecation = deprecationOf(operation);
    nameOperation(rootFieldOf(operation));
    const fault = complexityFault(operation);
    return fault === undefined
      ? execute({ ...operation, variableValues: declaredVariables(operation) }, context)
      : Promise.resolve({ errors: [fault] });
  };
}

/** What operations are called in logs and metrics: the name that a client gives could be any text. */
const rootFieldOf = memoizePerOperation((operation) => {
  const roots = selectedFields(operation).filter(({ rootKey }) => rootKey !== undefined);
  const [name = 'none', another] = new Set(roots.map(({ mark }) => mark.field.name));
  // A name for each combination would be too many for metrics.
  return another === undefined ? name : 'several';
});

/**
 * The values of the variables that an operation declares. All others are ignored
 * (https://spec.graphql.org/draft/#sec-Coercing-Variable-Values).
 */
function declaredVariables({ document, operationName, variableValues }: ValidOperation) {
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  const given = variableValues ?? {};
  const names = variableDefinitions.map(({ variable }) => variable.name.value);
  return Object.keys(given).every((name) => names.includes(name))
    ? given
    : Object.fromEntries(
        names.filter((name) => Object.hasOwn(given, name)).map((name) => [name, given[name]]),
      );
}
