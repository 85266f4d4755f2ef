import type { Config } from '../../config.ts';
import { BASE_PATH } from '../../rest/rest.ts';
import { LIVE, READY } from '@gateway/http-server/health';
import { GRAPHQL_PATH } from '../surface.ts';

/** The REST documentation for people. */
export const DOCUMENTATION = '/docs';

export const SCHEMA = '/schema.graphql';

export interface Destination {
  /** Its name in the JSON. */
  readonly name: string;
  readonly address: string;
  readonly title: string;
  readonly description: string;
}

/** All addresses in the README but the landing page's. */
export function addresses({
  graphqlIntrospection,
}: Pick<Config, 'graphqlIntrospection'>): readonly Destination[] {
  const schema = {
    name: 'schema',
    address: SCHEMA,
    title: 'GraphQL schema',
    description: 'In the schema definition language, for code generators.',
  };
  return [
    {
      name: 'rest',
      address: BASE_PATH,
      title: 'REST',
      description: 'Every operation is below this address.',
    },
    {
      name: 'graphql',
      address: GRAPHQL_PATH,
      title: 'GraphQL playground',
      description: 'GraphiQL: write queries and run them.',
    },
    {
      name: 'documentation',
      address: DOCUMENTATION,
      title: 'REST documentation',
      description: 'The contract, with each operation to try out.',
    },
    {
      name: 'openapi',
      address: `${BASE_PATH}/openapi.json`,
      title: 'OpenAPI document',
      description: 'The contract for tools, as JSON.',
    },
    {
      name: 'openapiYaml',
      address: `${BASE_PATH}/openapi.yaml`,
      title: 'OpenAPI document as YAML',
      description: 'The same, for reading and diffing.',
    },
    ...(graphqlIntrospection ? [schema] : []),
    {
      name: 'liveness',
      address: LIVE,
      title: 'Liveness',
      description: 'Whether this process serves.',
    },
    {
      name: 'readiness',
      address: READY,
      title: 'Readiness',
      description: 'Whether it should be sent requests.',
    },
  ];
}
