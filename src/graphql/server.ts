import type { ExecutionArgs, ExecutionResult } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import type { Caller } from '../auth/caller.ts';
import type { Config } from '../config.ts';
import type { World } from '../context.ts';
import type { ExecuteInTime } from '@gateway/graphql-execution/execute';
import type { WithDeadline } from '@gateway/graphql-execution/deadline';
import { nameOperation } from '@gateway/log/log';
import { schema } from '../schema/index.ts';
import { findDocument } from './stored-documents.ts';
import { useBounds } from '@gateway/yoga-guards/bounds/use-bounds';
import { declaredVariables } from '@gateway/yoga-guards/declared-variables';
import { useDocumentCache } from '@gateway/yoga-guards/document-cache';
import { useDeprecations, type SelectedDeprecation } from '@gateway/yoga-guards/deprecations';
import { maskError } from '@gateway/yoga-guards/error-masking';
import { httpAnswer, type HttpAnswer } from '@gateway/yoga-guards/http-response';
import { useNoIntrospection } from '@gateway/yoga-guards/introspection';
import { useKnownOperationTypes } from '@gateway/yoga-guards/operation-types';
import {
  operationParameters,
  parametersOfQuery,
  type SentParameters,
} from '@gateway/yoga-guards/request-parameters';
import { useRootFields } from '@gateway/yoga-guards/root-fields';
import { createDocumentReader } from '@gateway/yoga-guards/trusted-documents/document-reader';

/** What the app knows of a request to `/graphql` by the time that it gets here. */
export interface GraphQLRequest {
  readonly caller: Caller;
  /** Milliseconds that it has waited for the database. */
  readonly waited: number;
  readonly idempotencyKey: string | undefined;
  /** The JSON object of a POST, or the query string of a GET. */
  readonly sent: SentParameters | string;
  /** Of the answer. */
  readonly mediaType: string;
}

export interface GraphQLAnswer extends HttpAnswer {
  /** What the caller is to hear of a deprecated field that its operation selects. */
  readonly deprecation: SelectedDeprecation | undefined;
}

/** Serves GraphQL over HTTP, once the app knows who calls, with what, and what to answer with. */
export type ServeGraphQL = (request: GraphQLRequest) => Promise<GraphQLAnswer>;

export type GraphQLOptions = Pick<Config, 'graphqlIntrospection' | 'trustedDocumentsOnly'>;

export interface GraphQLExecution {
  readonly execute: ExecuteInTime<Caller>;
  readonly withDeadline: WithDeadline;
}

/** What Yoga knows of a request, for as long as it is under way. */
export interface ServerContext extends Record<string, unknown> {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
  /** Milliseconds that it has waited for the database so far. */
  waited: number;
  readonly deprecation?: SelectedDeprecation | undefined;
}

/** All that Yoga looks at: the host is of no consequence, and the rest has been read. */
const GET = new Request('http://localhost/graphql');
const POST = new Request('http://localhost/graphql', { method: 'POST' });

export function createGraphQLServer(
  { database }: World,
  { execute, withDeadline }: GraphQLExecution,
  options: GraphQLOptions,
): ServeGraphQL {
  const readDocument = createDocumentReader(
    (hash) => findDocument(database, hash),
    options.trustedDocumentsOnly,
  );
  // Of Yoga's steps those between the parameters and the result: the app does the HTTP of both surfaces.
  const { getResultForParams } = createYoga<ServerContext>({
    schema,
    plugins: [
      useDocumentCache(),
      // Before any that may refuse to execute: what is refused is told of it, too.
      useDeprecations(),
      useRootFields(),
      useBounds(),
      ...(options.graphqlIntrospection ? [] : [useNoIntrospection()]),
      useKnownOperationTypes(),
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
    const isGet = typeof sent === 'string';
    const parameters = isGet ? parametersOfQuery(sent) : sent;
    const params = await withDeadline(waited, operationParameters(parameters, readDocument));
    context.waited += performance.now() - began;
    const result = await getResultForParams({ params, request: isGet ? GET : POST }, context);
    if (result === undefined || Symbol.asyncIterator in result) {
      throw new Error('the schema has no operation with more than one result');
    }
    return result;
  }

  return async (request) => {
    const { caller, idempotencyKey, waited } = request;
    // Unless it comes to be executed.
    nameOperation('invalid');
    const context: ServerContext = { caller, idempotencyKey, waited };
    const result = await resultOf(request, context).catch(failed);
    return { ...httpAnswer(result, request.mediaType), deprecation: context.deprecation };
  };
}

/** Executes as REST does. */
function useExecute(execute: ExecuteInTime<Caller>): Plugin<ServerContext> {
  return {
    onExecute({ context: { caller, idempotencyKey, waited }, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) =>
        execute(
          { ...args, variableValues: declaredVariables(args) },
          { caller, idempotencyKey, waited },
        ).catch(failed),
      );
    },
  };
}

function failed(error: unknown): ExecutionResult {
  return { errors: [maskError(error)] };
}
