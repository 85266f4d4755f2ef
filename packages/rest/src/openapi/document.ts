import { StartupFailure, type JsonObject } from '@store-gateway/ops';
import { bodyFormatOf, referenceTo } from '@store-gateway/http';
import { deprecationSentences, type NamedDeprecation } from '@store-gateway/graphql';
import { inOpenApi, type PreparedRoute, type Rest } from '../rest.ts';
import { successorsOf } from '../deprecation.ts';
import type { Variable } from '../members.ts';
import {
  bodyExample,
  bodySchema,
  type Components,
  createComponents,
  parametersOf,
} from './schemas.ts';
import { responsesOf } from './responses.ts';
import { tagNameOf, tagsOf } from '../operation.ts';

/** Generates the REST contract from the routes and the schema, in OpenAPI 3.1. */
export function openApiDocument(rest: Rest, publicUrl?: string): JsonObject {
  const components = createComponents();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of rest.routes) {
    const path = inOpenApi(route.path);
    paths[path] = { ...paths[path], [route.method]: namedIn(rest, route, components) };
  }
  return {
    openapi: '3.1.1',
    info: rest.info,
    servers: [
      { url: serverOf(rest, publicUrl), description: 'The service that this document describes.' },
    ],
    tags: tagsOf(rest.routes.map(({ operation }) => operation)),
    security: [{ bearerAuth: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(components.schemas),
      responses: Object.fromEntries(components.responses),
      headers: Object.fromEntries(components.headers),
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

/**
 * Returns the server's URL. It isn't ".", because that would resolve to a URL with a trailing slash, to which clients append
 * paths that begin with a slash.
 */
function serverOf({ basePath }: Rest, publicUrl: string | undefined): string {
  return referenceTo(basePath, { from: `${basePath}/openapi.json`, publicUrl });
}

/** Returns the Operation Object of a route. If that fails with a StartupFailure, the error names the operation. */
function namedIn(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  try {
    return operationOf(rest, route, components);
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    throw new StartupFailure(`${error.message} (operation ${route.operation.name})`);
  }
}

function operationOf(rest: Rest, route: PreparedRoute, components: Components): JsonObject {
  const { operation, summary, variables, deprecations } = route;
  const description = route.description ?? operation.field.description ?? '';
  const { stability = 'stable' } = operation.field.extensions;
  const { end } = deprecations;
  const parameters = parametersOf(route, components);
  return {
    operationId: operation.name,
    tags: [tagNameOf(operation)],
    summary,
    description: withEnd(description, end, rest),
    ...(end && {
      deprecated: true,
      // `x-sunset` is for oasdiff, which accepts the operation's removal from that day on. `x-deprecated-sunset` is for GitBook.
      'x-sunset': end.removal,
      'x-deprecated-sunset': end.removal,
    }),
    // For GitBook. oasdiff's `x-stability-level` isn't used, because it doesn't support `experimental`.
    'x-stability': stability,
    security: [...(route.unread ? [route.unread.scopes] : []), route.scopes].map((scopes) => ({
      bearerAuth: [...scopes],
    })),
    ...(parameters.length > 0 && { parameters }),
    ...(variables.body && { requestBody: requestBody(variables.body, route, components) }),
    responses: responsesOf(rest, route, components),
  };
}

/** Adds a deprecation to a description: when the element will be removed, and what to use instead. */
function withEnd(
  description: string,
  deprecation: NamedDeprecation | undefined,
  rest: Rest,
): string {
  if (deprecation === undefined) {
    return description;
  }
  const calls = successorsOf(rest, deprecation).map((successor) => `\`GET ${successor}\``);
  return `${description}\n\n${deprecationSentences(deprecation, calls)}`.trim();
}

function requestBody(
  [, field]: Variable,
  route: PreparedRoute,
  components: Components,
): JsonObject {
  const { type } = route.operation;
  const [mediaType] = bodyFormatOf(route).mediaTypes;
  const schema = bodySchema(field, type, components);
  const example = bodyExample(field, type);
  return {
    description: field.description ?? '',
    required: true,
    content: { [mediaType]: { schema, example } },
  };
}
