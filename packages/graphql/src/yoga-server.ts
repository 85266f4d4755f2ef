import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  type GraphQLError,
  type GraphQLSchema,
  OperationTypeNode,
  type ValidationRule,
} from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { isJsonObject, nameOperation, parseExactly, TooManyExactNumbers } from '@store-gateway/ops';
import { codedError } from '@store-gateway/ops/errors';
import { parseWithinBounds, validateWithinBounds } from './bounds/document.ts';
import { maskError } from './http-response.ts';
import { complexityFault } from './bounds/complexity.ts';
import { deprecationOf, type SelectedDeprecation } from './marks/deprecations.ts';
import type { Operation } from './execution/execute.ts';
import { memoizePerOperation, type ValidOperation } from './execution/operation.ts';
import { graphqlRowsPlan } from './execution/written-rows.ts';
import { selectedFields } from './marks/uses.ts';
import { createDocumentReader, type FindDocument } from './trusted-documents.ts';

/** A schema, and the sources of its documents. */
interface PlannerOptions {
  readonly schema: GraphQLSchema;
  /** Validation rules in addition to GraphQL's own. By default, there are none. */
  readonly validationRules?: readonly ValidationRule[];
  /** Finds a stored document by its SHA-256 in hex. By default, there are no stored documents. */
  readonly findDocument?: FindDocument;
}

/** The JSON of a POST's body, or the query string of a GET. */
export type SentOperation = { readonly body: unknown } | { readonly search: string };

/** The operation to execute for a request, or the errors that prevent it. */
export type Plan = {
  /** The deprecated field that the operation selects, for the response's headers. */
  readonly deprecation?: SelectedDeprecation | undefined;
} & ({ readonly operation: Operation } | { readonly errors: readonly GraphQLError[] });

/** Defines how a request's document may be found. */
interface PlanRequest {
  /** Whether only stored documents may be executed. Defaults to false. */
  readonly trustedOnly?: boolean;
  /** Limits the time for looking up a document. By default, there is no limit. */
  readonly inTime?: (found: Promise<GraphQLParams>) => Promise<GraphQLParams>;
}

/** Plans a request. Never rejects. */
type PlanOf = (sent: SentOperation, request?: PlanRequest) => Promise<Plan>;

/** Yoga's context, to which a valid document is added. */
interface YogaContext extends Record<string, unknown> {
  readonly validDocuments: DocumentNode[];
}

/** Requests for Yoga, which reads only their method. */
const GET = new Request('http://localhost/graphql');
const POST = new Request('http://localhost/graphql', { method: 'POST' });

/**
 * Returns a function that plans requests: it reads their parameters, and returns the operation to execute. Yoga parses and
 * validates new documents; valid documents are cached. Yoga's and Envelop's plugins would therefore see hardly any requests, so
 * none can be added. Instead, validation rules check documents, and `createExecute` handles everything that depends on a single
 * operation.
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
  // Yoga only converts a request's parameters to its result, without HTTP.
  const { getResultForParams } = createYoga<YogaContext>({
    schema,
    plugins: [plugin],
    maskedErrors: { maskError, errorMessage: '' },
    // Errors are logged when they are masked.
    logging: false,
    cors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
  });

  /** Returns the cached document that contains the operation. For all other documents, Yoga returns the errors. */
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
      throw new Error('Yoga returned neither a valid document nor errors');
    }
    return { errors: result.errors };
  };

  const planOf = (
    document: DocumentNode,
    { operationName, variables: variableValues }: GraphQLParams,
  ): Plan => {
    const operation = { schema, document, operationName, variableValues };
    // Determined first, so that the response to a rejected operation also announces the deprecation.
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
    // The operation name in logs for requests that are never executed.
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

/** Maximum size of the document cache, in bytes. With Yoga's own limit, 1024 documents of any size, callers could fill 500 MB. */
const MAX_BYTES = 30_000_000;

/** Upper bounds for the memory that a parsed document takes. */
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

/**
 * Returns the name of an operation for logs and metrics. The name in the document could be any text, because the client chooses
 * it.
 */
const rootFieldOf = memoizePerOperation((operation) => {
  const roots = selectedFields(operation).filter(({ rootKey }) => rootKey !== undefined);
  const [name = 'none', another] = new Set(roots.map(({ mark }) => mark.field.name));
  // One name for each combination of fields would create too many metric series.
  return another === undefined ? name : 'several';
});

/**
 * Returns the values of the variables that an operation declares. All others are ignored
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

/** The parameters of a valid request. Yoga's own type would pull in the types of all of Yoga's dependencies. */
interface GraphQLParams {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
  readonly extensions?: Record<string, unknown>;
}

/** A request's parameters before validation, from its body's JSON object or its query string. */
type SentParameters = Readonly<Record<string, unknown>>;

/**
 * Validates the parameters of a request (https://http-spec.graphql.org/September2026/#sec-GraphQL-over-HTTP-Request; null counts
 * as absent), and reads its document. Returns a promise only if the document is read from the database.
 *
 * @throws GraphQLError with a code
 */
function operationParameters(
  sent: SentParameters,
  readDocument: (
    parameters: Parameters<ReturnType<typeof createDocumentReader>>[0],
  ) => string | Promise<string>,
): GraphQLParams | Promise<GraphQLParams> {
  const { query: asked, documentId, operationName } = sent;
  if (operationName != null && typeof operationName !== 'string') {
    throw codedError('BAD_USER_INPUT', 'operationName must be a string');
  }
  const variables = objectOf(sent, 'variables');
  const extensions = objectOf(sent, 'extensions');
  const parametersWith = (query: string): GraphQLParams => ({
    query,
    ...(operationName ? { operationName } : undefined),
    ...(variables && { variables }),
    ...(extensions && { extensions }),
  });
  const query = readDocument({ query: asked, documentId, extensions });
  return typeof query === 'string' ? parametersWith(query) : query.then(parametersWith);
}

function objectOf(sent: SentParameters, name: string): Record<string, unknown> | undefined {
  const value = sent[name] ?? undefined;
  if (value !== undefined && !isJsonObject(value)) {
    throw codedError('BAD_USER_INPUT', `${name} must be a JSON object`);
  }
  return value;
}

/**
 * Returns the parameters in a body.
 *
 * @throws GraphQLError with a code
 */
function parametersOfBody(body: unknown): SentParameters {
  if (!isJsonObject(body)) {
    throw codedError('BAD_USER_INPUT', 'The body must be a JSON object');
  }
  return body;
}

/**
 * Returns the parameters in a query string, with exact integers.
 *
 * @throws GraphQLError with a code
 */
function parametersOfQuery(search: string): SentParameters {
  const parameters = new URLSearchParams(search);
  const text = (name: string): string | undefined => {
    const [value, ...others] = parameters.getAll(name);
    if (others.length > 0) {
      throw codedError('BAD_USER_INPUT', `${name} must not be repeated`);
    }
    return value;
  };
  const json = (name: string): unknown => {
    const value = text(name) || 'null';
    try {
      return parseExactly(value);
    } catch (error) {
      const refused = error instanceof TooManyExactNumbers;
      throw codedError('BAD_USER_INPUT', refused ? error.message : `${name} must be a JSON object`);
    }
  };
  return {
    query: text('query'),
    documentId: text('documentId'),
    operationName: text('operationName'),
    variables: json('variables'),
    extensions: json('extensions'),
  };
}
