import express, { type Router } from 'express';
import type { DirectRoute } from '@gateway/http-server/direct-routes';
import { answerOtherMethod } from '@gateway/http-server/http/allowed-methods';
import { announceDeprecation } from '@gateway/http-server/http/deprecation-headers';
import { queryParametersOf } from '@gateway/http-server/http/query';
import { announcementOf, type Documentation } from './deprecation.ts';
import { notFound, writeError } from './error-response.ts';
import { openApiAddresses } from './openapi/printed.ts';
import type { PreparedRoute, Rest } from './rest.ts';
import { serve, type Exchange, type ServeDependencies } from './serve.ts';

export type RouterOptions<Caller> = ServeDependencies<Caller> & Documentation;

/** The routes and their OpenAPI document, answers to other methods, and 404 for other paths. */
export function createRouter<Caller>(rest: Rest, options: RouterOptions<Caller>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of rest.routes) {
    const answer = answerOf(rest, route, options);
    router[route.method](route.path, (request, response) => {
      const { baseUrl, path, params: parameters, query } = request;
      return answer({ request, response, path: baseUrl + path, parameters, query });
    });
  }
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
  return router;
}

/** The routes of the same requests without Express. */
export function directRoutes<Caller>(
  rest: Rest,
  options: RouterOptions<Caller>,
): readonly DirectRoute[] {
  return rest.routes.map((route) => {
    const answer = answerOf(rest, route, options);
    return {
      method: route.method === 'get' ? 'GET' : 'POST',
      path: rest.basePath + route.path,
      answer: (request, response, { path, parameters }) =>
        answer({ request, response, path, parameters, query: queryParametersOf(request) }),
      writeError,
    };
  });
}

function answerOf<Caller>(rest: Rest, route: PreparedRoute, options: RouterOptions<Caller>) {
  const announcement = announcementOf(rest, route, options);
  return async (exchange: Exchange): Promise<void> => {
    if (announcement !== undefined) {
      // First, so that errors have the headers, too.
      announceDeprecation(exchange.response, announcement);
    }
    await serve(route, options, exchange);
  };
}

/** Express serves HEAD wherever it serves GET. */
function methodsOf({ method }: PreparedRoute): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : ['POST'];
}
