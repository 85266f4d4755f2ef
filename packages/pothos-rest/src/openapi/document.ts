import type { JsonObject } from '@gateway/exact-json/json';
import { BASE_PATH, routes } from '../../../../src/rest/routes.ts';
import { SHARED_HEADERS } from './headers.ts';
import { operationOf, TAG } from './operations.ts';
import type { Schemas } from './schemas.ts';

const DESCRIPTION = `A store's animals: list them, add one, get one.

Every operation needs an API key. Ids are integers of 64 bits: a client whose numbers are doubles, as JavaScript's are, rounds those beyond 2^53 unless its JSON parser keeps them. Where GET is taken, HEAD is too. Query parameters and members that are not described here are ignored.

Before a request is looked at it may be refused for what it takes to receive it: 408 and \`REQUEST_TIMEOUT\`, 414 and \`URI_TOO_LONG\`, or 431 and \`HEADERS_TOO_LARGE\`.`;

/** The REST contract as OpenAPI 3.1, made of the routes and of the rules that they run on. */
export const openApiDocument: JsonObject = createDocument();

function createDocument(): JsonObject {
  const schemas: Schemas = new Map();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store Service',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { name: 'The founders of Animal Store Gateway' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: BASE_PATH, description: 'The service that this document is of.' }],
    tags: [{ name: TAG, description: 'The animals of the store.' }],
    security: [{ bearerAuth: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      headers: SHARED_HEADERS,
      securitySchemes: {
        bearerAuth: {
          type: 'http',
          scheme: 'bearer',
          description: 'The API key: `Authorization: Bearer <API_KEY>`.',
        },
      },
    },
  };
}
