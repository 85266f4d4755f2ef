import express, { type Express } from 'express';
import { createAuthenticate } from '../auth/authenticate.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/client.ts';
import { createGraphQLServer, type GraphQLOptions } from '../graphql/server.ts';
import { notFound, writeError } from '../rest/error-response.ts';
import { createRestRouter } from '../rest/router.ts';
import { createGraphQLEndpoint } from './graphql-endpoint.ts';
import { logRequest } from './request-log.ts';

export type AppOptions = GraphQLOptions & Pick<Config, 'corsOrigins'>;

/** The whole service on one database: what is mounted where, in which order. It does not listen. */
export function createApp(database: Database, options: AppOptions): Express {
  const authenticate = createAuthenticate(database);
  const graphql = createGraphQLServer(database, options);
  const { execute } = graphql;

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');

  app.use(logRequest);
  app.use('/graphql', createGraphQLEndpoint(graphql, authenticate));
  app.use('/v1', createRestRouter({ authenticate, execute }));
  app.use(() => {
    throw notFound();
  });
  app.use(writeError);
  return app;
}
