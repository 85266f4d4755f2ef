import {
  announceDeprecation,
  announceFormat,
  bodyFormatOf,
  answerOtherMethod,
  type Endpoint,
  errorBody,
  errorWriter,
  JSON_TYPE,
  type Method,
  preparePublicDocument,
  queryParametersOf,
  servePublicDocument,
  varyBy,
  withHead,
  type WriteError,
} from '@store-gateway/http';
import { scopedMembersOf } from '@store-gateway/graphql';
import { operationAt, type PreparedRoute, type Rest, type Route } from './rest.ts';
import { announcerOf, type Documentation } from './deprecation.ts';
import { notFound, PROBLEM_TYPE, problemBody, wantsProblem } from './errors.ts';
import { serve, type ServeDependencies } from './serve.ts';
import type { Variables } from './members.ts';

/** The dependencies of the endpoints for the routes and their OpenAPI document. */
export type EndpointOptions<Caller> = ServeDependencies<Caller> & Documentation;

/**
 * Creates the endpoints for the routes and their OpenAPI document. They also answer requests with other methods at these paths,
 * and return 404 for all other paths below the base path.
 *
 * @throws Error if the schema declares scopes, but `scopesOf` is missing
 */
export function createEndpoints<Caller>(rest: Rest, options: EndpointOptions<Caller>): Endpoint[] {
  const [scoped] = options.scopesOf === undefined ? scopedMembersOf(rest.schema) : [];
  if (scoped !== undefined) {
    throw new Error(`${scoped.coordinate} needs a scope: pass scopesOf to createEndpoints`);
  }
  const { routes, basePath } = rest;
  const ofAnyMethod = (path: string, answer: Endpoint['answer']): Endpoint => ({
    method: undefined,
    path: basePath + path,
    answer,
    writeError,
  });
  return [
    ...routes.map((route) => endpointOf(rest, route, options)),
    ...Array.from(
      Map.groupBy(routes, ({ path }) => path),
      ([path, some]) => ofAnyMethod(path, otherMethods(some)),
    ),
    ...Object.entries(openApiAddresses(rest, options.publicUrl)).map(([path, answer]) =>
      ofAnyMethod(path, answer),
    ),
    ofAnyMethod('/*', () => {
      throw notFound();
    }),
  ];
}

/** Returns the handler for requests with a method that none of a path's routes has. */
function otherMethods(routes: readonly PreparedRoute[]): Endpoint['answer'] {
  const methods = withHead(routes.map(methodOf));
  const formats = routes.map(bodyFormatOf);
  return (request, response) => {
    formats.forEach((format) => {
      announceFormat(response, format);
    });
    answerOtherMethod(request, response, methods);
  };
}

function endpointOf<Caller>(
  rest: Rest,
  route: PreparedRoute,
  options: EndpointOptions<Caller>,
): Endpoint {
  const announcer = announcerOf(rest, route, options);
  const { now = Date.now } = options;
  return {
    method: methodOf(route),
    path: rest.basePath + route.path,
    answer: async (request, response, { path, parameters }) => {
      const operation = operationAt(route.stages, now());
      const announcement = announcer.always(operation, parameters);
      if (announcement !== undefined) {
        // Set first, so that error responses also have the headers.
        announceDeprecation(response, announcement);
      }
      const query = queryParametersOf(request);
      const received = { request, response, path, parameters, query, operation, announcer };
      await serve(route, options, received);
    },
    writeError: errorWriterOf(route.variables),
  };
}

const METHODS = {
  get: 'GET',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<Route['method'], Method>;

function methodOf({ method }: PreparedRoute): Method {
  return METHODS[method];
}

/** Returns a function that writes errors in REST's format, or as problem details for clients that prefer them. */
function errorWriterOf(variables?: Variables): WriteError {
  const write = errorWriter({
    type: (request) => (wantsProblem(request) ? PROBLEM_TYPE : JSON_TYPE),
    body: (error, request) =>
      wantsProblem(request) ? problemBody(error, variables) : errorBody(error),
  });
  return (thrown, request, response, next) => {
    if (!response.headersSent) {
      varyBy(response, 'Accept');
    }
    write(thrown, request, response, next);
  };
}

/** Writes an error that doesn't belong to a route. */
export const writeError = errorWriterOf();

/**
 * Returns the contract as JSON text.
 *
 * @param publicUrl the service's public URL; by default, the server's URL is relative to the document's
 */
export async function printJson(rest: Rest, publicUrl?: string): Promise<string> {
  // Loaded at the first request, so that startup doesn't wait for it.
  const { openApiDocument } = await import('./openapi/document.ts');
  return `${JSON.stringify(openApiDocument(rest, publicUrl), null, 2)}\n`;
}

/** Returns the contract as YAML 1.2 that has the same meaning in YAML 1.1, which many parsers still expect. */
async function printYaml(rest: Rest, publicUrl?: string): Promise<string> {
  const { openApiDocument } = await import('./openapi/document.ts');
  const { stringify } = await import('yaml');
  return stringify(openApiDocument(rest, publicUrl), {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
}

/** Returns the handlers for the OpenAPI document, by path. */
function openApiAddresses(
  rest: Rest,
  publicUrl?: string,
): Readonly<Record<string, Endpoint['answer']>> {
  return {
    // OpenAPI has no registered media type yet, and browsers would download a document of an unregistered type.
    '/openapi.json': servePublicDocument(async () =>
      preparePublicDocument(await printJson(rest, publicUrl), JSON_TYPE),
    ),
    // Always UTF-8, without a charset parameter (RFC 9512).
    '/openapi.yaml': servePublicDocument(async () =>
      preparePublicDocument(await printYaml(rest, publicUrl), 'application/yaml'),
    ),
  };
}
