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
import { guardExecution, type ExecuteValid, type OperationContext } from './guard-execution.ts';
import type { GraphQLParams } from './request-parameters.ts';
import { LRUCache } from 'lru-cache';

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
