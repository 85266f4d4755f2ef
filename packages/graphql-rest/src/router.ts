import express, { type Router } from 'express';
import { codedError } from '@gateway/errors/coded-error';
import { handlerOf, type DirectRoute } from '@gateway/http-server/direct-routes';
import { answerOtherMethod } from '@gateway/http-server/http/allowed-methods';
import { announceDeprecation } from '@gateway/http-server/http/deprecation-headers';
import { errorBody, errorWriter, type WriteError } from '@gateway/http-server/http/error-writer';
import { JSON_TYPE } from '@gateway/http-server/http/send';
import { queryParametersOf } from '@gateway/http-server/http/query';
import { announcementOf, type Documentation } from './deprecation.ts';
import { openApiAddresses } from './openapi/printed.ts';
import type { PreparedRoute, Rest } from './rest.ts';
import { serve, type ServeDependencies } from './serve.ts';

export type RouterOptions<Caller> = ServeDependencies<Caller> & Documentation;

/** An API at its base path: Express's router, and the same routes for requests that go without Express. */
interface RestEndpoint {
  readonly router: Router;
  readonly directRoutes: readonly DirectRoute[];
}

/** The routes and their OpenAPI document, answers to other methods, and 404 for other paths. */
export function createRouter<Caller>(rest: Rest, options: RouterOptions<Caller>): RestEndpoint {
  const router = express.Router({ caseSensitive: true, strict: true });
  const directRoutes = rest.routes.map((route) => {
    const directRoute = directRouteOf(rest, route, options);
    router[route.method](route.path, handlerOf(directRoute));
    return directRoute;
  });
  for (const [path, routes] of Map.groupBy(rest.routes, (route) => route.path)) {
    const methods = routes.flatMap(methodsOf);
    router.all(path, (request, response) => {
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
  const announcement = announcementOf(rest, route, options);
  return {
    method: route.method === 'get' ? 'GET' : 'POST',
    path: rest.basePath + route.path,
    answer: async (request, response, { path, parameters }) => {
      if (announcement !== undefined) {
        // First, so that errors have the headers, too.
        announceDeprecation(response, announcement);
      }
      const query = queryParametersOf(request);
      await serve(route, options, { request, response, path, parameters, query });
    },
    writeError,
  };
}

/** Express serves HEAD wherever it serves GET. */
function methodsOf({ method }: PreparedRoute): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : ['POST'];
}

const write = errorWriter({ type: () => JSON_TYPE, body: errorBody });

/** Writes an error in REST's shape. */
export const writeError: WriteError = (thrown, request, response, next) => {
  // Express throws it for a path that can't be decoded.
  write(thrown instanceof URIError ? notFound() : thrown, request, response, next);
};

export function notFound(): Error {
  return codedError('NOT_FOUND', 'There is nothing at this address');
}
