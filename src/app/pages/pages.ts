import express, { type Router } from 'express';
import type { Config } from '../../config.ts';
import { addresses, DOCUMENTATION, SCHEMA } from './addresses.ts';
import { createDocs } from './docs.ts';
import { mountLanding } from './landing.ts';
import { serveSchema } from './schema-document.ts';

/** All that needs no key: pages for people, and what they and their tools load. */
export function createPages(options: Pick<Config, 'graphqlIntrospection'>): Router {
  const router = express.Router({ caseSensitive: true });
  mountLanding(router, '/', addresses(options));
  router.use(DOCUMENTATION, createDocs(DOCUMENTATION));
  // Whoever switches introspection off wants the schema untold.
  if (options.graphqlIntrospection) {
    router.all(SCHEMA, serveSchema);
  }
  return router;
}
