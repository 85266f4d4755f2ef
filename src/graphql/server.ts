import type { ExecutionResult } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { Config } from '../config.ts';
import type { World } from '../context.ts';
import type { Execute } from '../schema/execute.ts';
import { schema } from '../schema/index.ts';
import { useBounds } from './bounds/use-bounds.ts';
import { useDeprecations, type SelectedDeprecation } from './deprecations.ts';
import { maskError } from './error-masking.ts';
import { useHttpStatus } from './http-status.ts';
import { useNoIntrospection } from './introspection.ts';
import { useKnownOperationTypes } from './operation-types.ts';
import type { RequestContext } from './request-context.ts';
import { useExactRequestParser } from './request-parser.ts';
import { createDocumentReader } from './trusted-documents/document-reader.ts';
import { useVariableErrors } from './variable-errors.ts';

export interface GraphQLRequest {
  readonly method: 'GET' | 'POST';
  /** The query string with its question mark, or nothing. */
  readonly search: string;
  readonly mediaType: string;
}

export interface GraphQLAnswer {
  readonly response: Response;
  /** What the caller is to hear of a deprecated field that its operation selects. */
  readonly deprecation: SelectedDeprecation | undefined;
}

export interface GraphQLServer {
  /** Serves GraphQL over HTTP, once the app knows who calls, with what, and what to answer with. */
  readonly serve: (request: GraphQLRequest, context: RequestContext) => Promise<GraphQLAnswer>;
  /** The same context, rules and masking, without HTTP. */
  readonly execute: Execute;
}

export type GraphQLOptions = Pick<Config, 'graphqlIntrospection' | 'trustedDocumentsOnly'>;

export function createGraphQLServer(world: World, options: GraphQLOptions): GraphQLServer {
  const deprecations = new WeakMap<Request, SelectedDeprecation>();
  const yoga = createYoga<RequestContext, World>({
    schema,
    context: { ...world },
    plugins: [
      useExactRequestParser(createDocumentReader(world.database, options.trustedDocumentsOnly)),
      // Before any that may refuse to execute: what is refused is told of it, too.
      useDeprecations(deprecations),
      useBounds(),
      ...(options.graphqlIntrospection ? [] : [useNoIntrospection()]),
      useKnownOperationTypes(),
      useVariableErrors(),
      useHttpStatus(),
    ],
    maskedErrors: { maskError, errorMessage: '' },
    // Errors are logged where they are masked.
    logging: false,
    // The app's business, for both surfaces.
    cors: false,
    maxRequestBodySize: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    batching: false,
  });

  return {
    serve: async ({ method, search, mediaType }, context) => {
      // The host is of no consequence, and a client's own could be anything.
      const request = new Request(`http://localhost/graphql${search}`, {
        method,
        headers: { accept: mediaType },
      });
      const response = await yoga.fetch(request, context);
      return { response, deprecation: deprecations.get(request) };
    },
    execute: async (document, variableValues, caller) => {
      const { execute, contextFactory } = yoga.getEnveloped({ caller });
      const contextValue = await contextFactory();
      const result: unknown = await execute({
        schema,
        document,
        variableValues,
        contextValue,
      });
      if (!isSingleResult(result)) {
        throw new Error('the schema has no operation with more than one result');
      }
      return result;
    },
  };
}

function isSingleResult(result: unknown): result is ExecutionResult {
  return typeof result === 'object' && result !== null && !(Symbol.asyncIterator in result);
}
