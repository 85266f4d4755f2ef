import type { ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
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
import { useDocumentCache } from '@gateway/yoga-guards/document-cache';
import { useDeprecations, type SelectedDeprecation } from '@gateway/yoga-guards/deprecations';
import { maskError } from '@gateway/yoga-guards/error-masking';
import { httpResponse, type HttpResponse } from '@gateway/yoga-guards/http-response';
import {
  operationParameters,
  parametersOfBody,
  parametersOfQuery,
} from '@gateway/yoga-guards/request-parameters';
import { useRootFields } from '@gateway/yoga-guards/root-fields';
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
  readonly deprecation?: SelectedDeprecation | undefined;
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
  // Yoga takes a request's parameters to its result, and does no HTTP.
  const { getResultForParams } = createYoga<ServerContext>({
    schema,
    plugins: [
      useDocumentCache(),
      // Before plugins that may reject the operation: its response announces deprecations, too.
      useDeprecations(),
      useRootFields(),
      useBounds(),
      useValidationRules([
        ...(graphqlIntrospection ? [] : [NoIntrospectionRule]),
        KnownOperationTypesRule,
      ]),
      useExecute(execute),
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
    const began = performance.now();
    const isGet = 'search' in sent;
    const parameters = isGet ? parametersOfQuery(sent.search) : parametersOfBody(sent.body);
    const params = await withDeadline(waited, operationParameters(parameters, readDocument));
    context.waited += performance.now() - began;
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

/** Executes as REST does. */
function useExecute(execute: ExecuteInTime<Caller>): Plugin<ServerContext> {
  return {
    onExecute({ args, context, setExecuteFn }) {
      const { caller, idempotencyKey, waited, onReplay } = context;
      const operation = { ...args, variableValues: declaredVariables(args) };
      setExecuteFn(() =>
        execute(operation, { caller, idempotencyKey, waited, onReplay }).catch(errorResult),
      );
    },
  };
}

function errorResult(error: unknown): ExecutionResult {
  return { errors: [maskError(error)] };
}
