import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Caller } from '@store-gateway/access';
import type { Config } from '../config/config.ts';
import type { GatewayDatabase } from '../database/client.ts';
import {
  type ExecuteInTime,
  type OperationRequest,
  type WithDeadline,
  type SelectedDeprecation,
  maskError,
  type OperationContext,
  httpResponse,
  type HttpResponse,
  operationParameters,
  parametersOfBody,
  parametersOfQuery,
  createDocumentReader,
  NoIntrospectionRule,
  graphqlRowsPlan,
} from '@store-gateway/graphql/execution';
import { nameOperation } from '@store-gateway/ops';
import { createYogaServer } from '@store-gateway/graphql/yoga';
import { findDocument } from './trusted-documents.ts';

/** The JSON of a POST's body, or the query string of a GET. */
export type SentOperation = { readonly body: unknown } | { readonly search: string };

/** A request to `/graphql`, once the app has authenticated it and read its body. */
interface GraphQLRequest extends OperationRequest<Caller> {
  /** Milliseconds that the request has waited for the database. */
  readonly waited: number;
  readonly sent: SentOperation;
  /** Of the response. */
  readonly mediaType: string;
}

export interface GraphQLResponse extends HttpResponse {
  /** The deprecated field that the operation selects, for the response's headers. */
  readonly deprecation: SelectedDeprecation | undefined;
}

/** Serves GraphQL over HTTP; the app does the HTTP of both surfaces. */
export type ServeGraphQL = (request: GraphQLRequest) => Promise<GraphQLResponse>;

export type GraphQLOptions = Pick<Config, 'graphqlIntrospection' | 'trustedDocumentsOnly'>;

interface GraphQLExecution {
  readonly schema: GraphQLSchema;
  readonly execute: ExecuteInTime<Caller>;
  readonly withDeadline: WithDeadline;
}

/** Yoga's context of a request. */
interface ServerContext extends OperationContext, OperationRequest<Caller> {
  waited: number;
}

export function createGraphQLServer(
  database: Pick<GatewayDatabase, '$read'>,
  { schema, execute, withDeadline }: GraphQLExecution,
  { graphqlIntrospection, trustedDocumentsOnly }: GraphQLOptions,
): ServeGraphQL {
  const documentReader = (trustedOnly: boolean) =>
    createDocumentReader((hash) => findDocument(database, hash), trustedOnly);
  const readTrusted = documentReader(true);
  const readAny = trustedDocumentsOnly ? readTrusted : documentReader(false);
  const resultOfParameters = createYogaServer<ServerContext>({
    schema,
    validationRules: graphqlIntrospection ? [] : [NoIntrospectionRule],
    // As REST does.
    execute: (
      { document, operationName, variableValues },
      { caller, idempotencyKey, waited, onReplay },
    ) =>
      execute(
        { document, operationName, variableValues, planRows: graphqlRowsPlan },
        { caller, idempotencyKey, waited, onReplay },
      ).catch(errorResult),
  });

  async function resultOf(
    { caller, sent, waited }: GraphQLRequest,
    context: ServerContext,
  ): Promise<ExecutionResult> {
    const isGet = 'search' in sent;
    const parameters = isGet ? parametersOfQuery(sent.search) : parametersOfBody(sent.body);
    const began = performance.now();
    const read = operationParameters(parameters, caller.documentsOnly ? readTrusted : readAny);
    const params = read instanceof Promise ? await withDeadline(waited, read) : read;
    context.waited += performance.now() - began;
    return resultOfParameters(params, isGet, context);
  }

  return async (request) => {
    const { caller, idempotencyKey, waited, onReplay, mediaType } = request;
    // The operation name of requests that are never executed.
    nameOperation('invalid');
    const context: ServerContext = { caller, idempotencyKey, waited, onReplay };
    const result = await resultOf(request, context).catch(errorResult);
    return {
      ...httpResponse(result, mediaType, graphqlIntrospection),
      deprecation: context.deprecation,
    };
  };
}

function errorResult(error: unknown): ExecutionResult {
  return { errors: [maskError(error)] };
}
