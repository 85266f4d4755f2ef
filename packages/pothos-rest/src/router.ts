import express, { type Router } from 'express';
import { methodNotAllowed } from '@gateway/http-server/http/allowed-methods';
import { announceDeprecation } from '@gateway/http-server/http/deprecation-headers';
import { announcementOf } from './deprecation.ts';
import { notFound, writeError } from './error-response.ts';
import { openApiAddresses } from './openapi/printed.ts';
import { routes, type Route } from '../../../src/rest/routes.ts';
import { serve, type ServeDependencies } from './serve.ts';

export interface RestDependencies extends ServeDependencies {
  /** The address at which people read about the routes. */
  readonly documentation: string;
}

/** The routes of the table and what describes them, 405 for other methods there, and 404 for all else. */
export function createRestRouter(dependencies: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of routes) {
    const announcement = announcementOf(route, dependencies.documentation);
    router[route.method](route.path, async (request, response) => {
      if (announcement !== undefined) {
        // First of all, so that errors tell it too.
        announceDeprecation(response, announcement);
      }
      await serve(route, dependencies, request, response);
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).flatMap(methodsOf);
    router.all(path, (_request, response) => {
      throw methodNotAllowed(response, methods);
    });
  }
  for (const [path, serveDocument] of Object.entries(openApiAddresses)) {
    router.all(path, serveDocument);
  }
  router.use(() => {
    throw notFound();
  });
  router.use(writeError);
  return router;
}

/** Express answers HEAD wherever it answers GET. */
function methodsOf({ method }: Route): string[] {
  return method === 'get' ? ['GET', 'HEAD'] : ['POST'];
}
