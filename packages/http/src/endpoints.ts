import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { codedError } from '@store-gateway/ops/errors';
import { pathOf } from '@store-gateway/ops';
import type { WriteError } from './message/error-writer.ts';
import { answerOtherMethod, type Method, withHead } from './message/send.ts';
import type { Reject } from './request-head.ts';

/** The path of a request, and the values of its parameters. */
interface RequestPath {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A handler for requests with one method at one path. */
export interface Endpoint {
  /** The method; GET includes HEAD. Undefined for all methods that the path's other endpoints don't handle. */
  readonly method: Method | undefined;
  /**
   * A path such as `/books/:id`, whose parameters are whole segments. `{/}` at its end allows a trailing slash; `/*` at its end
   * matches every path below it. Paths without parameters take precedence over paths with parameters, which take precedence over
   * `/*`.
   */
  readonly path: string;
  /** Whether the endpoint answers this request; if not, Express does. By default, it answers all requests. */
  readonly accepts?: (request: IncomingMessage) => boolean;
  /** Answers a request, or throws an error for `writeError` to write. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    requestPath: RequestPath,
  ) => Promise<void> | void;
  readonly writeError: WriteError;
}

const ENDPOINT = Symbol('endpoint');

type RoutedRequest = IncomingMessage & { [ENDPOINT]?: Endpoint };

/**
 * Returns the path of the endpoint that answered a request, without its `{/}`; undefined if no endpoint did, or if its path ends
 * with `/*`.
 */
export function endpointPathOf(request: IncomingMessage): string | undefined {
  const routed: RoutedRequest = request;
  const path = routed[ENDPOINT]?.path;
  return path?.endsWith('/*') === true ? undefined : path?.replace('{/}', '');
}

/** Returns the methods that a server with these endpoints accepts, including GET for its pages. */
export function serverMethods(endpoints: readonly Endpoint[]): string[] {
  return withHead(['GET', ...endpoints.flatMap(({ method }) => method ?? [])]);
}

/**
 * Returns an endpoint for all methods that a path's other endpoints don't handle: OPTIONS gets 204, any other method
 * METHOD_NOT_ALLOWED.
 *
 * @param methods the methods that the path accepts besides OPTIONS
 */
export function otherMethods(
  path: string,
  methods: readonly string[],
  writeError: WriteError,
): Endpoint {
  return {
    method: undefined,
    path,
    answer: (request, response) => {
      answerOtherMethod(request, response, methods);
    },
    writeError,
  };
}

/** Returns the endpoint for `OPTIONS *`, which applies to the server as a whole (RFC 9110, 9.3.7). */
export function serverOptions(methods: readonly string[], writeError: WriteError): Endpoint {
  return {
    ...otherMethods('*', methods, writeError),
    accepts: ({ method }) => method === 'OPTIONS',
  };
}

interface FoundEndpoint extends RequestPath {
  readonly endpoint: Endpoint;
}

const NO_PARAMETERS = {};

function matchesSubtree({ path }: Endpoint): boolean {
  return path.endsWith('/*');
}

/**
 * Returns a function that finds the endpoint for a path among the endpoints for one method. Parameters stay percent-encoded.
 *
 * @throws Error if two endpoints have the same path
 */
function finderOf(endpoints: readonly Endpoint[]): (path: string) => FoundEndpoint | undefined {
  const exact = new Map<string, Endpoint>();
  const patterns = new Map<string, { readonly endpoint: Endpoint; readonly pattern: RegExp }>();
  const inOrder = endpoints.toSorted(
    (one, other) => Number(matchesSubtree(one)) - Number(matchesSubtree(other)),
  );
  for (const endpoint of inOrder) {
    const { method = 'any method', path } = endpoint;
    const paths = new Set([path.replace('{/}', ''), path.replace('{/}', '/')]);
    for (const each of paths) {
      if (exact.has(each) || patterns.has(each)) {
        throw new Error(`two endpoints answer ${method} ${each}`);
      }
      if (each.includes(':') || matchesSubtree(endpoint)) {
        const text = each.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\/\*$/, '/.+');
        patterns.set(each, { endpoint, pattern: new RegExp(`^${text}$`) });
      } else {
        exact.set(each, endpoint);
      }
    }
  }
  const candidates = [...patterns.values()];
  return (path) => {
    const known = exact.get(path);
    if (known !== undefined) {
      return { endpoint: known, path, parameters: NO_PARAMETERS };
    }
    for (const { endpoint, pattern } of candidates) {
      const match = pattern.exec(path);
      if (match !== null) {
        return { endpoint, path, parameters: match.groups ?? NO_PARAMETERS };
      }
    }
    return undefined;
  };
}

/** Returns the endpoint for a request, or undefined if Express answers it. */
type FindEndpoint = (request: IncomingMessage) => FoundEndpoint | undefined;

function createFindEndpoint(endpoints: readonly Endpoint[]): FindEndpoint {
  const byMethod = new Map(
    Array.from(
      Map.groupBy(endpoints, ({ method }) => method ?? ''),
      ([method, some]) => [method, finderOf(some)],
    ),
  );
  const findOfAnyMethod = byMethod.get('');
  return (request) => {
    const { method = '', url = '' } = request;
    const path = pathOf(url);
    const found =
      byMethod.get(method === 'HEAD' ? 'GET' : method)?.(path) ?? findOfAnyMethod?.(path);
    return found?.endpoint.accepts?.(request) === false ? undefined : found;
  };
}

async function answerAt(
  { endpoint, path, parameters }: FoundEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const routed: RoutedRequest = request;
  routed[ENDPOINT] = endpoint;
  try {
    const given = path.includes('%') ? decoded(parameters) : parameters;
    await endpoint.answer(request, response, { path, parameters: given });
  } catch (thrown) {
    endpoint.writeError(thrown, request, response, () => {
      request.socket.destroy();
    });
  }
}

/** @throws NOT_FOUND for a parameter that isn't percent-encoded UTF-8 */
function decoded(parameters: RequestPath['parameters']): RequestPath['parameters'] {
  try {
    return Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch {
    throw NOT_FOUND;
  }
}

/** The error for an unknown address. */
const NOT_FOUND = codedError('NOT_FOUND', 'There is nothing at this address');

type Handle = (
  request: IncomingMessage,
  response: ServerResponse,
  done: (error?: unknown) => void,
) => void;

const handleNothing: Handle = (_request, _response, done) => {
  done();
};

/**
 * Routes each request to its endpoint, or to Express if no endpoint matches. Requests that Express doesn't answer are rejected
 * here, because its final handler would send HTML.
 */
export function routeTo(
  endpoints: readonly Endpoint[],
  app: Express | undefined,
  reject: Reject,
): RequestListener {
  const find = createFindEndpoint(endpoints);
  const handle: Handle = app ?? handleNothing;
  return (request, response) => {
    const found = find(request);
    if (found !== undefined) {
      void answerAt(found, request, response);
      return;
    }
    if (request.url?.includes('#') === true) {
      // A request target never has a fragment (RFC 9112, 3.2). No endpoint would match a target with a fragment, but Express
      // would ignore the fragment.
      reject(request, response, NOT_FOUND);
      return;
    }
    handle(request, response, (error) => {
      if (error === undefined) {
        reject(request, response, NOT_FOUND);
      } else {
        // The response has begun (message/error-writer.ts), so only closing the connection shows the client that the response is
        // incomplete.
        request.socket.destroy();
      }
    });
  };
}
