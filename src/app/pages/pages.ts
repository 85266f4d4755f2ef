import express, { type Router } from 'express';
import type { Config } from '../../config.ts';
import { BASE_PATH } from '../../rest/routes.ts';
import { createDocs } from './docs.ts';
import { createLanding } from './landing.ts';
import { serveSchema } from './schema-document.ts';

const SCHEMA = '/schema.graphql';

export interface PagesOptions extends Pick<Config, 'graphqlIntrospection'> {
  /** Where people read about the REST contract. */
  readonly documentation: string;
}

/** All that needs no key: pages for people, and what they and their tools load. */
export function createPages({ documentation, graphqlIntrospection }: PagesOptions): Router {
  const openApi = `${BASE_PATH}/openapi`;
  const schema = {
    name: 'schema',
    address: SCHEMA,
    title: 'GraphQL schema',
    description: 'In the schema definition language, for code generators.',
  };
  const router = express.Router({ caseSensitive: true });
  router.use(
    createLanding([
      {
        name: 'graphql',
        address: '/graphql',
        title: 'GraphQL playground',
        description: 'GraphiQL: write queries and run them.',
      },
      {
        name: 'documentation',
        address: documentation,
        title: 'REST documentation',
        description: 'The contract, with each operation to try out.',
      },
      {
        name: 'openapi',
        address: `${openApi}.json`,
        title: 'OpenAPI document',
        description: 'The contract for tools, as JSON.',
      },
      {
        name: 'openapiYaml',
        address: `${openApi}.yaml`,
        title: 'OpenAPI document as YAML',
        description: 'The same, for reading and diffing.',
      },
      ...(graphqlIntrospection ? [schema] : []),
    ]),
  );
  router.use(documentation, createDocs(documentation));
  // Whoever switches introspection off wants the schema untold.
  if (graphqlIntrospection) {
    router.all(SCHEMA, serveSchema);
  }
  return router;
}
