import type { JsonObject } from '@gateway/exact-json/json';
import type { Rest } from '../rest.ts';
import { SHARED_HEADERS } from './headers.ts';
import { operationOf } from './operations.ts';
import type { Schemas } from './schemas.ts';
import { tagsOf } from './tag.ts';

/** The REST contract as OpenAPI 3.1, made of the routes, the schema and the rules that they run on. */
export function openApiDocument(rest: Rest): JsonObject {
  const schemas: Schemas = new Map();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of rest.routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(rest, route, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: rest.info,
    servers: [{ url: rest.basePath, description: 'The service that this document is of.' }],
    tags: tagsOf(rest.routes.map(({ operation }) => operation)),
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
