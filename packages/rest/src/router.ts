import express, { type Router } from 'express';
import {
  handlerOf,
  type DirectRoute,
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
import { serve, type Exchange, type ServeDependencies } from './serve.ts';
import { operationAt } from './stages.ts';
import type { Variables } from './variables.ts';

/** What the router needs to serve the routes and their OpenAPI document. */
export type RouterOptions<Caller> = ServeDependencies<Caller> & Documentation;

/** An API at its base path: Express's router, and the same routes for requests that go without Express. */
interface RestEndpoint {
  readonly router: Router;
  readonly directRoutes: readonly DirectRoute[];
}

/**
 * The routes and their OpenAPI document, answers to other methods, and 404 for other paths.
 *
 * @throws Error if the schema declares scopes, and nothing says which a caller has
 */
export function createRouter<Caller>(rest: Rest, options: RouterOptions<Caller>): RestEndpoint {
  const [scoped] = options.scopesOf === undefined ? scopedMembersOf(rest.schema) : [];
  if (scoped !== undefined) {
    throw new Error(`${scoped.coordinate} needs a scope, so that the router needs scopesOf`);
  }
  const router = express.Router({ caseSensitive: true, strict: true });
  const directRoutes = rest.routes.map((route) => {
    const directRoute = directRouteOf(rest, route, options);
    router[route.method](route.path, handlerOf(directRoute));
    return directRoute;
  });
  for (const [path, routes] of Map.groupBy(rest.routes, (route) => route.path)) {
    const methods = withHead(routes.map(methodOf));
    const formats = routes.map(bodyFormatOf);
    router.all(path, (request, response) => {
      formats.forEach((format) => {
        announceFormat(response, format);
      });
      answerOtherMethod(request, response, methods);
    });
  }
  for (const [path, serveDocument] of Object.entries(openApiAddresses(rest, options.publicUrl))) {
    router.all(path, serveDocument);
  }
  router.use(() => {
    throw notFound();
  });
  router.use(writeError);
  return { router, directRoutes };
}

function directRouteOf<Caller>(
  rest: Rest,
  route: PreparedRoute,
  options: RouterOptions<Caller>,
): DirectRoute {
  const announcer = announcerOf(rest, route, options);
  const { now = Date.now } = options;
  return {
    method: methodOf(route),
    path: rest.basePath + route.path,
    answer: async (request, response, { path, parameters }) => {
      const operation = operationAt(route.stages, now());
      const announcement = announcer.always(operation, parameters);
      if (announcement !== undefined) {
        // First, so that errors have the headers, too.
        announceDeprecation(response, announcement);
      }
      const query = queryParametersOf(request);
      const exchange = { request, response, path, parameters, query, operation, announcer };
      await serveTold(route, options, exchange);
    },
    writeError: errorWriterOf(route.variables),
  };
}

/** Serves a request, and tells of one to change something that was refused before its operation was executed. */
async function serveTold<Caller>(
  route: PreparedRoute,
  dependencies: ServeDependencies<Caller>,
  exchange: Exchange,
): Promise<void> {
  const { onRefused, admit, execute } = dependencies;
  if (onRefused === undefined || route.method === 'get') {
    await serve(route, dependencies, exchange);
    return;
  }
  let admitted: { readonly caller: Caller } | undefined;
  let isExecuted = false;
  const noting: ServeDependencies<Caller> = {
    ...dependencies,
    admit: async (request) => {
      const given = await admit(request);
      admitted = given;
      return given;
    },
    execute: (operation, request) => {
      isExecuted = true;
      return execute(operation, request);
    },
  };
  try {
    await serve(route, noting, exchange);
  } catch (error) {
    if (admitted !== undefined && !isExecuted) {
      const { operation, parameters } = exchange;
      onRefused(
        admitted.caller,
        { document: operation.document, variableValues: parameters },
        error,
      );
    }
    throw error;
  }
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

/** Writes errors in REST's shape, or as problem details for whoever asks for these. */
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
    // Express throws it for a path that can't be decoded.
    write(thrown instanceof URIError ? notFound() : thrown, request, response, next);
  };
}

/** Writes an error that is of no route. */
export const writeError = errorWriterOf();
