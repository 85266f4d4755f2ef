import {
  type Endpoint,
  answerOtherMethod,
  announceDeprecation,
  announceFormat,
  errorBody,
  errorWriter,
  type WriteError,
  withHead,
  type Method,
  JSON_TYPE,
  queryParametersOf,
  varyBy,
} from '@store-gateway/http';
import { scopedMembersOf } from '@store-gateway/graphql';
import { bodyFormatOf } from './body-format.ts';
import { announcerOf, type Documentation } from './deprecation.ts';
import { openApiAddresses } from './openapi/printed.ts';
import type { PreparedRoute, Rest, Route } from './rest.ts';
import { PROBLEM_TYPE, problemBody, wantsProblem } from './problem.ts';
import { notFound } from './path-faults.ts';
import { serve, type ServeDependencies } from './serve.ts';
import { operationAt } from './stages.ts';
import type { Variables } from './variables.ts';

/** Dependencies of the endpoints for the routes and their OpenAPI document. */
export type EndpointOptions<Caller> = ServeDependencies<Caller> & Documentation;

/**
 * Creates the endpoints of the routes and of their OpenAPI document. They also answer other methods at these paths, and respond
 * with 404 at all other paths below the base path.
 *
 * @throws Error if the schema declares scopes, but `scopesOf` is missing
 */
export function createEndpoints<Caller>(rest: Rest, options: EndpointOptions<Caller>): Endpoint[] {
  const [scoped] = options.scopesOf === undefined ? scopedMembersOf(rest.schema) : [];
  if (scoped !== undefined) {
    throw new Error(`${scoped.coordinate} needs a scope: pass scopesOf to createEndpoints`);
  }
  const { routes, basePath } = rest;
  const ofAnyMethod = (path: string, answer: Endpoint['answer']): Endpoint => ({
    method: undefined,
    path: basePath + path,
    answer,
    writeError,
  });
  return [
    ...routes.map((route) => endpointOf(rest, route, options)),
    ...Array.from(
      Map.groupBy(routes, ({ path }) => path),
      ([path, some]) => ofAnyMethod(path, otherMethods(some)),
    ),
    ...Object.entries(openApiAddresses(rest, options.publicUrl)).map(([path, answer]) =>
      ofAnyMethod(path, answer),
    ),
    ofAnyMethod('/*', () => {
      throw notFound();
    }),
  ];
}

/** Answers requests to a path with methods that none of its routes has. */
function otherMethods(routes: readonly PreparedRoute[]): Endpoint['answer'] {
  const methods = withHead(routes.map(methodOf));
  const formats = routes.map(bodyFormatOf);
  return (request, response) => {
    formats.forEach((format) => {
      announceFormat(response, format);
    });
    answerOtherMethod(request, response, methods);
  };
}

function endpointOf<Caller>(
  rest: Rest,
  route: PreparedRoute,
  options: EndpointOptions<Caller>,
): Endpoint {
  const announcer = announcerOf(rest, route, options);
  const { now = Date.now } = options;
  return {
    method: methodOf(route),
    path: rest.basePath + route.path,
    answer: async (request, response, { path, parameters }) => {
      const operation = operationAt(route.stages, now());
      const announcement = announcer.always(operation, parameters);
      if (announcement !== undefined) {
        // First, so that error responses have the headers, too.
        announceDeprecation(response, announcement);
      }
      const query = queryParametersOf(request);
      const received = { request, response, path, parameters, query, operation, announcer };
      await serve(route, options, received);
    },
    writeError: errorWriterOf(route.variables),
  };
}

const METHODS = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<Route['method'], Method>;

function methodOf({ method }: PreparedRoute): Method {
  return METHODS[method];
}

/** Writes errors in REST's format, or as problem details for clients that ask for them. */
function errorWriterOf(variables?: Variables): WriteError {
  const write = errorWriter({
    type: (request) => (wantsProblem(request) ? PROBLEM_TYPE : JSON_TYPE),
    body: (error, request) =>
      wantsProblem(request) ? problemBody(error, variables) : errorBody(error),
  });
  return (thrown, request, response, next) => {
    if (!response.headersSent) {
      varyBy(response, 'Accept');
    }
    write(thrown, request, response, next);
  };
}

/** Writes an error that belongs to no route. */
export const writeError = errorWriterOf();
