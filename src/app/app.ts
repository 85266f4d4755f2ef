import type { RequestListener } from 'node:http';
import express from 'express';
import { createAuthenticate } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { World } from '../context.ts';
import { createExecute } from '../execution/execute.ts';
import { createGraphQLServer, type GraphQLOptions } from '../graphql/server.ts';
import { forbidSniffing } from '../http/security-headers.ts';
import { notFound, writeError } from '../rest/error-response.ts';
import { createRestRouter } from '../rest/router.ts';
import { BASE_PATH, sharedAddresses } from '../rest/routes.ts';
import { allowOrigins } from './cors.ts';
import { createGraphQLEndpoint } from './graphql-endpoint.ts';
import { sendNotFoundPage } from './pages/not-found.ts';
import { createPages } from './pages/pages.ts';
import { logRequests, tellRequestId } from './request-log.ts';
import { shareAnswers } from './shared-answers.ts';

export type AppOptions = GraphQLOptions & Pick<Config, 'corsOrigins'>;

/** Where people read about the contract. */
const DOCUMENTATION = '/docs';

/** As an expression, because one that binds a parameter would decode it, and some don't decode. */
const ANY_PATH = /^/;

/** The whole service on one database: what is mounted where, in which order. It does not listen. */
export function createApp(world: World, options: AppOptions): RequestListener {
  const authenticate = createAuthenticate(world.database);
  const execute = createExecute(world);
  const serveGraphQL = createGraphQLServer(world, execute, options);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');

  app.use(tellRequestId);
  app.use(forbidSniffing);
  if (options.corsOrigins.length > 0) {
    app.use(allowOrigins(options.corsOrigins));
  }
  app.use(
    '/graphql',
    createGraphQLEndpoint({ serveGraphQL, authenticate, documentation: DOCUMENTATION }),
  );
  // The base address itself is no operation, but people open it.
  app.all(BASE_PATH, ...sendNotFoundPage);
  app.use(BASE_PATH, createRestRouter({ authenticate, execute, documentation: DOCUMENTATION }));
  app.use(createPages({ ...options, documentation: DOCUMENTATION }));
  app.all(ANY_PATH, ...sendNotFoundPage);
  app.use(() => {
    throw notFound();
  });
  app.use(writeError);
  return logRequests(shareAnswers(app, sharedAddresses));
}
