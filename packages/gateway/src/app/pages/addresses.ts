import type { Config } from '../../config/config.ts';
import { LIVE, READY, referenceTo } from '@store-gateway/http';
import type { Rest } from '@store-gateway/rest';
import { GRAPHQL_PATH } from '../surface.ts';
import type { Frame } from './frame.ts';
import { GUIDES } from './guides/guide-files.ts';

/** The REST documentation for people. */
export const DOCUMENTATION = '/docs';

export const SCHEMA = '/schema.graphql';

/** The schema as the result of the introspection query, for GraphiQL's page. */
export const INTROSPECTION = '/assets/introspection.json';

export interface Destination {
  /** Its name in the JSON. */
  readonly name: string;
  /** A reference from the pages, all of which are in the same folder, the service's root. */
  readonly address: string;
  readonly title: string;
  readonly description: string;
}

/** All addresses in the README but the landing page's. */
export function addresses(
  { basePath }: Pick<Rest, 'basePath'>,
  { guides }: Pick<Frame, 'guides'>,
  { graphqlIntrospection, publicUrl }: Pick<Config, 'graphqlIntrospection' | 'publicUrl'>,
): readonly Destination[] {
  const reference = (path: string) => referenceTo(path, { from: '/', publicUrl });
  const schema = {
    name: 'schema',
    address: reference(SCHEMA),
    title: 'GraphQL schema',
    description: 'In the schema definition language, for code generators.',
  };
  const ofGuides = {
    name: 'guides',
    address: reference(GUIDES),
    title: 'Guides',
    description: 'How to write a client, by subject.',
  };
  return [
    {
      name: 'rest',
      address: reference(basePath),
      title: 'REST',
      description: 'The base URL of the REST operations, for clients. A browser gets this page.',
    },
    {
      name: 'graphql',
      address: reference(GRAPHQL_PATH),
      title: 'GraphiQL',
      description: 'Write GraphQL queries and run them. For clients, the GraphQL endpoint.',
    },
    {
      name: 'documentation',
      address: reference(DOCUMENTATION),
      title: 'REST documentation',
      description: 'The contract, with a form to try each operation.',
    },
    ...(guides.length > 0 ? [ofGuides] : []),
    {
      name: 'openapi',
      address: reference(`${basePath}/openapi.json`),
      title: 'OpenAPI document',
      description: 'The contract as JSON, for tools.',
    },
    {
      name: 'openapiYaml',
      address: reference(`${basePath}/openapi.yaml`),
      title: 'OpenAPI document as YAML',
      description: 'The contract as YAML, easier to read and compare.',
    },
    ...(graphqlIntrospection ? [schema] : []),
    {
      name: 'liveness',
      address: reference(LIVE),
      title: 'Liveness',
      description: 'Whether this process is running.',
    },
    {
      name: 'readiness',
      address: reference(READY),
      title: 'Readiness',
      description: 'Whether it is ready for requests.',
    },
  ];
}
