import express, { type Express } from 'express';
import { createAuthenticate } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { World } from '../context.ts';
import { createGraphQLServer, type GraphQLOptions } from '../graphql/server.ts';
import { forbidSniffing } from '../http/security-headers.ts';
import { notFound, writeError } from '../rest/error-response.ts';
import { createRestRouter } from '../rest/router.ts';
import { BASE_PATH } from '../rest/routes.ts';
import { allowOrigins } from './cors.ts';
import { createGraphQLEndpoint } from './graphql-endpoint.ts';
import { sendNotFoundPage } from './pages/not-found.ts';
import { createPages } from './pages/pages.ts';
import { logRequest } from './request-log.ts';

export type AppOptions = GraphQLOptions & Pick<Config, 'corsOrigins'>;

/** Where people read about the contract. */
const DOCUMENTATION = '/docs';

/** As an expression, because one that binds a parameter would decode it, and some don't decode. */
const ANY_PATH = /^/;

/** The whole service on one database: what is mounted where, in which order. It does not listen. */
export function createApp(world: World, options: AppOptions): Express {
  const authenticate = createAuthenticate(world.database);
  const graphql = createGraphQLServer(world, options);
  const { execute } = graphql;

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');

  app.use(logRequest);
  app.use(forbidSniffing);
  if (options.corsOrigins.length > 0) {
    app.use(allowOrigins(options.corsOrigins));
  }
  app.use(
    '/graphql',
    createGraphQLEndpoint({ graphql, authenticate, documentation: DOCUMENTATION }),
  );
  app.use(createPages({ ...options, documentation: DOCUMENTATION }));
  app.use(BASE_PATH, createRestRouter({ authenticate, execute, documentation: DOCUMENTATION }));
  app.all(ANY_PATH, ...sendNotFoundPage);
  app.use(() => {
    throw notFound();
  });
  app.use(writeError);
  return app;
}
