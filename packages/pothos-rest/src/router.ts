import express, { type Router } from 'express';
import { answerOtherMethod } from '@gateway/http-server/http/allowed-methods';
import { announceDeprecation } from '@gateway/http-server/http/deprecation-headers';
import { announcementOf, type Documentation } from './deprecation.ts';
import { notFound, writeError } from './error-response.ts';
import { openApiAddresses } from './openapi/printed.ts';
import type { PreparedRoute, Rest } from './rest.ts';
import { serve, type ServeDependencies } from './serve.ts';

export type RouterOptions<Caller> = ServeDependencies<Caller> & Documentation;

/** The routes and their OpenAPI document, answers to other methods, and 404 for other paths. */
export function createRouter<Caller>(rest: Rest, options: RouterOptions<Caller>): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of rest.routes) {
    const announcement = announcementOf(rest, route, options);
    router[route.method](route.path, async (request, response) => {
      if (announcement !== undefined) {
        // First, so that errors have the headers, too.
        announceDeprecation(response, announcement);
      }
      await serve(route, options, request, response);
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

/** Express serves HEAD wherever it serves GET. */
function methodsOf({ method }: PreparedRoute): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : ['POST'];
}
