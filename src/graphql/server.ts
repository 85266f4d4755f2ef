import { getOperationAST, OperationTypeNode, type ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams } from 'graphql-yoga';
import type { Caller } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { Services } from '../context.ts';
import type { ExecuteInTime, Request as Requester } from '@gateway/graphql-execution/execute';
import type { WithDeadline } from '@gateway/graphql-execution/deadline';
import { nameOperation } from '@gateway/log/log';
import { schema } from '../schema/index.ts';
import { findDocument } from './stored-documents.ts';
import { useBounds } from '@gateway/yoga-guards/bounds/use-bounds';
import { declaredVariables } from '@gateway/yoga-guards/declared-variables';
import type { SelectedDeprecation } from '@gateway/yoga-guards/deprecations';
import { createDocumentCache } from '@gateway/yoga-guards/document-cache';
import { maskError } from '@gateway/yoga-guards/error-masking';
import { guardExecution, useExecution } from '@gateway/yoga-guards/execution';
import { httpResponse, type HttpResponse } from '@gateway/yoga-guards/http-response';
import {
  operationParameters,
  parametersOfBody,
  parametersOfQuery,
} from '@gateway/yoga-guards/request-parameters';
import { createDocumentReader } from '@gateway/yoga-guards/trusted-documents/document-reader';
import {
  KnownOperationTypesRule,
  NoIntrospectionRule,
  useValidationRules,
} from '@gateway/yoga-guards/validation-rules';

/** A request to `/graphql`, once the app has authenticated it and read its body. */
export interface GraphQLRequest extends Requester<Caller> {
  /** Milliseconds that it has waited for the database. */
  readonly waited: number;
  /** The JSON of a POST's body, or the query string of a GET. */
  readonly sent: { readonly body: unknown } | { readonly search: string };
  /** Of the response. */
  readonly mediaType: string;
}

interface GraphQLResponse extends HttpResponse {
  /** The deprecated field that the operation selects, for the response's headers. */
  readonly deprecation: SelectedDeprecation | undefined;
  /** Whether any of its creates was done before, under its key. */
  readonly isReplay: boolean;
}

/** Serves GraphQL over HTTP; the app does the HTTP of both surfaces. */
export type ServeGraphQL = (request: GraphQLRequest) => Promise<GraphQLResponse>;

export type GraphQLOptions = Pick<Config, 'graphqlIntrospection' | 'trustedDocumentsOnly'>;

interface GraphQLExecution {
  readonly execute: ExecuteInTime<Caller>;
  readonly withDeadline: WithDeadline;
}

/** Yoga's context of a request. */
interface ServerContext extends Record<string, unknown>, Requester<Caller> {
  waited: number;
  deprecation?: SelectedDeprecation | undefined;
}

/** Yoga only reads the method. */
const GET = new Request('http://localhost/graphql');
const POST = new Request('http://localhost/graphql', { method: 'POST' });

export function createGraphQLServer(
  { database }: Services,
  { execute, withDeadline }: GraphQLExecution,
  { graphqlIntrospection, trustedDocumentsOnly }: GraphQLOptions,
): ServeGraphQL {
  const readDocument = createDocumentReader(
    (hash) => findDocument(database, hash),
    trustedDocumentsOnly,
  );
  const cache = createDocumentCache();
  const executeValid = guardExecution<ServerContext>((operation, context) => {
    const { caller, idempotencyKey, waited, onReplay } = context;
    const variableValues = declaredVariables(operation);
    // As REST does.
    return execute(
      { document: operation.document, operationName: operation.operationName, variableValues },
      { caller, idempotencyKey, waited, onReplay },
    ).catch(errorResult);
  });
  /** The known document that has the operation; Yoga has the errors for all others. */
  const documentOf = ({ query = '', operationName }: GraphQLParams, isGet: boolean) => {
    const document = cache.find(query);
    const operation = document && getOperationAST(document, operationName);
    const mayBeAsked = !isGet || operation?.operation === OperationTypeNode.QUERY;
    return operation != null && mayBeAsked ? document : undefined;
  };
  // Yoga takes a request's parameters to its result, and does no HTTP.
  const { getResultForParams } = createYoga<ServerContext>({
    schema,
    plugins: [
      cache.plugin,
      useBounds(),
      useValidationRules([
        ...(graphqlIntrospection ? [] : [NoIntrospectionRule]),
        KnownOperationTypesRule,
      ]),
      useExecution(executeValid),
    ],
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

  async function resultOf(
    { sent, waited }: GraphQLRequest,
    context: ServerContext,
  ): Promise<ExecutionResult> {
    const isGet = 'search' in sent;
    const parameters = isGet ? parametersOfQuery(sent.search) : parametersOfBody(sent.body);
    const began = performance.now();
    const read = operationParameters(parameters, readDocument);
    const params = read instanceof Promise ? await withDeadline(waited, read) : read;
    context.waited += performance.now() - began;
    const known = documentOf(params, isGet);
    if (known !== undefined) {
      const { operationName, variables } = params;
      const operation = { schema, document: known, operationName, variableValues: variables };
      return executeValid(operation, context);
    }
    const result = await getResultForParams({ params, request: isGet ? GET : POST }, context);
    if (result === undefined || Symbol.asyncIterator in result) {
      throw new Error('the schema has no operation with more than one result');
    }
    return result;
  }

  return async (request) => {
    const { caller, idempotencyKey, waited, mediaType } = request;
    // The name of requests that are never executed.
    nameOperation('invalid');
    let isReplay = false;
    const onReplay = () => {
      isReplay = true;
    };
    const context: ServerContext = { caller, idempotencyKey, waited, onReplay };
    const result = await resultOf(request, context).catch(errorResult);
    return {
      ...httpResponse(result, mediaType),
      deprecation: context.deprecation,
      isReplay,
    };
  };
}

function errorResult(error: unknown): ExecutionResult {
  return { errors: [maskError(error)] };
}
