import {
  getOperationAST,
  OperationTypeNode,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLSchema,
  type ValidationRule,
  type DocumentNode,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { parseWithinBounds, validateWithinBounds } from './bounds/document.ts';
import { maskError } from './http-response.ts';
import {
  operationParameters,
  parametersOfBody,
  parametersOfQuery,
  type GraphQLParams,
} from './request-parameters.ts';
import { LRUCache } from 'lru-cache';
import { nameOperation } from '@store-gateway/ops';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './marks/deprecations.ts';
import type { Operation } from './execution/execute.ts';
import { memoizePerOperation, type ValidOperation } from './execution/operation.ts';
import { graphqlRowsPlan } from './execution/written-rows.ts';
import { selectedFields } from './marks/uses.ts';
import { createDocumentReader, type FindDocument } from './trusted-documents.ts';

/** A schema, and where its documents come from. */
interface PlannerOptions {
  readonly schema: GraphQLSchema;
  /** Validation rules besides GraphQL's own; by default none. */
  readonly validationRules?: readonly ValidationRule[];
  /** Finds a stored document by its SHA-256 in hex; by default there is none. */
  readonly findDocument?: FindDocument;
}

/** The JSON of a POST's body, or the query string of a GET. */
export type SentOperation = { readonly body: unknown } | { readonly search: string };

/** What is executed for a request, or the errors because of which nothing is. */
export type Plan = {
  /** The deprecated field that the operation selects, for the response's headers. */
  readonly deprecation?: SelectedDeprecation | undefined;
} & ({ readonly operation: Operation } | { readonly errors: readonly GraphQLError[] });

/** How a request's document may be found. */
interface PlanRequest {
  /** Whether only stored documents may be executed; by default others may, too. */
  readonly trustedOnly?: boolean;
  /** Limits the time of a document's look-up; by default it has no limit. */
  readonly inTime?: (found: Promise<GraphQLParams>) => Promise<GraphQLParams>;
}

/** Plans a request. Never rejects. */
type PlanOf = (sent: SentOperation, request?: PlanRequest) => Promise<Plan>;

/** Yoga's context, to which a valid document is added. */
interface YogaContext extends Record<string, unknown> {
  readonly validDocuments: DocumentNode[];
}

/** Yoga only reads the method of these requests. */
const GET = new Request('http://localhost/graphql');
const POST = new Request('http://localhost/graphql', { method: 'POST' });

/**
 * Returns a function that plans requests: it reads their parameters, and returns the operation to execute. Yoga parses,
 * validates and rejects new documents; documents that were valid before are cached. A plugin of Yoga's or Envelop's would
 * therefore see hardly any request, so none can be added: validation rules check documents, and `createExecute` does all that
 * concerns each operation.
 */
export function createPlanner({
  schema,
  validationRules = [],
  findDocument = () => Promise.resolve(undefined),
}: PlannerOptions): PlanOf {
  const valid = createDocumentCache();
  const readDocument = createDocumentReader(findDocument);
  const plugin: Plugin<YogaContext> = {
    onParse({ setParseFn }) {
      setParseFn(parseWithinBounds);
    },
    onValidate({ setValidationFn, addValidationRule }) {
      setValidationFn(validateWithinBounds);
      validationRules.forEach((rule) => addValidationRule(rule));
    },
    // Only valid documents get this far.
    onExecute({ args, context, setExecuteFn }) {
      const operation: ExecutionArgs = args;
      context.validDocuments.push(operation.document);
      setExecuteFn(() => ({}));
    },
  };
  // Yoga only turns a request's parameters into its result, without any HTTP.
  const { getResultForParams } = createYoga<YogaContext>({
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

  /** The cached document with the operation. Yoga returns the errors for all others. */
  const knownDocument = ({ query = '', operationName }: GraphQLParams, isGet: boolean) => {
    const document = valid.get(query);
    const operation = document && getOperationAST(document, operationName);
    const mayBeAsked = !isGet || operation?.operation === OperationTypeNode.QUERY;
    return operation != null && mayBeAsked ? document : undefined;
  };

  const planByYoga = async (params: GraphQLParams, isGet: boolean): Promise<Plan> => {
    const context: YogaContext = { validDocuments: [] };
    const result = await getResultForParams({ params, request: isGet ? GET : POST }, context);
    const [document] = context.validDocuments;
    if (document !== undefined) {
      valid.set(params.query ?? '', document);
      return planOf(document, params);
    }
    if (result === undefined || Symbol.asyncIterator in result || result.errors === undefined) {
      throw new Error('the schema has no operation with more than one result');
    }
    return { errors: result.errors };
  };

  const planOf = (
    document: DocumentNode,
    { operationName, variables: variableValues }: GraphQLParams,
  ): Plan => {
    const operation = { schema, document, operationName, variableValues };
    // First, so that the response to a rejected operation announces the deprecation, too.
    const deprecation = deprecationOf(operation);
    nameOperation(rootFieldOf(operation));
    const fault = complexityFault(operation);
    if (fault !== undefined) {
      return { deprecation, errors: [fault] };
    }
    const declared = declaredVariables(operation);
    return {
      deprecation,
      operation: { document, operationName, variableValues: declared, planRows: graphqlRowsPlan },
    };
  };

  return async (sent, { trustedOnly = false, inTime } = {}) => {
    // The operation name of requests that are never executed.
    nameOperation('invalid');
    const isGet = 'search' in sent;
    try {
      const read = operationParameters(
        isGet ? parametersOfQuery(sent.search) : parametersOfBody(sent.body),
        (parameters) => readDocument(parameters, trustedOnly),
      );
      const params = read instanceof Promise ? await (inTime?.(read) ?? read) : read;
      const document = knownDocument(params, isGet);
      return document === undefined ? await planByYoga(params, isGet) : planOf(document, params);
    } catch (error) {
      return { errors: [maskError(error)] };
    }
  };
}

/** Maximum size of the cache. With Yoga's own limit, 1024 documents of any size, callers could fill 500 MB. */
const MAX_BYTES = 30_000_000;

/** Upper bounds for the memory of a parsed document. */
const BYTES_PER_TOKEN = 1000;
const BYTES_PER_CHARACTER = 2;

/**
 * Caches parsed valid documents by their text, because most are sent again. Rejected documents must not be cached: their errors
 * retain everything that was in use when they were created, and rejecting a document again takes no longer than the first time.
 */
function createDocumentCache(): LRUCache<string, DocumentNode> {
  return new LRUCache({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ tokenCount = 1 }, text) =>
      BYTES_PER_TOKEN * tokenCount + BYTES_PER_CHARACTER * text.length,
  });
}

/** The name of an operation in logs and metrics. The name that a client chose could be any text. */
const rootFieldOf = memoizePerOperation((operation) => {
  const roots = selectedFields(operation).filter(({ rootKey }) => rootKey !== undefined);
  const [name = 'none', another] = new Set(roots.map(({ mark }) => mark.field.name));
  // Names for all combinations would be too many for metrics.
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
