import express, { type Router } from 'express';
import { codedError } from '../errors.ts';
import { notFound, writeError } from './error-response.ts';
import { openApiAddresses } from './openapi/printed.ts';
import { routes, type Route } from './routes.ts';
import { serve, type RestDependencies } from './serve.ts';

/** The routes of the table and what describes them, 405 for other methods there, and 404 for all else. */
export function createRestRouter(dependencies: RestDependencies): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  for (const route of routes) {
    router[route.method](route.path, (request, response) =>
      serve(route, dependencies, request, response),
    );
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const allowed = routes
      .filter((route) => route.path === path)
      .flatMap(methodsOf)
      .join(', ');
    router.all(path, (_request, response) => {
      response.set('Allow', allowed);
      throw codedError('METHOD_NOT_ALLOWED', `This address takes ${allowed}`);
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
