import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { pathOf } from '@store-gateway/ops';
import type { WriteError } from './message/error-writer.ts';
import { withHead, type Method } from './message/methods.ts';

/** What a request's path is, and what it has in the place of the route's parameters. */
interface RoutePath {
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const ROUTE = Symbol('direct route');

type RoutedRequest = IncomingMessage & { [ROUTE]?: DirectRoute };

/** A route that Express has, too: most requests are spared the way through it, which takes as long as the rest. */
export interface DirectRoute {
  readonly method: Method;
  /** With Express's `:parameters`, each of them a whole segment. */
  readonly path: string;
  /** Answers a request, or rejects with an error that `writeError` answers with. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    routePath: RoutePath,
  ) => Promise<void>;
  readonly writeError: WriteError;
}

const handlers = new WeakMap<DirectRoute, RequestHandler>();

/** The route as Express has it, for requests that aren't written as usual. */
export function handlerOf(route: DirectRoute): RequestHandler {
  const known = handlers.get(route);
  const handler: RequestHandler =
    known ??
    ((request, response) => {
      const { baseUrl, path, params } = request;
      return route.answer(request, response, { path: baseUrl + path, parameters: params });
    });
  handlers.set(route, handler);
  return handler;
}

/** The methods of a server with these routes, whose pages take GET. */
export function serverMethods(routes: readonly Pick<DirectRoute, 'method'>[]): string[] {
  return withHead(['GET', ...routes.map(({ method }) => method)]);
}

interface FoundRoute extends RoutePath {
  readonly route: DirectRoute;
}

/** The route of a request that goes without Express; undefined leaves the request to Express. */
export type FindRoute = (request: IncomingMessage) => FoundRoute | undefined;

/** A path and a query of printable ASCII. In anything else, and behind a `#`, Express may find another path. */
const USUAL_TARGET = /^\/[!"$-~]*$/;

const NO_PARAMETERS = {};

/** Finds the routes of requests that are written as usual; Express has those of all others. */
export function createFindRoute(routes: readonly DirectRoute[]): FindRoute {
  const exact = new Map<string, DirectRoute[]>();
  const patterns: { readonly route: DirectRoute; readonly pattern: RegExp }[] = [];
  for (const route of routes) {
    if (route.path.includes(':')) {
      const pattern = new RegExp(`^${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
      patterns.push({ route, pattern });
    } else {
      exact.set(route.path, [...(exact.get(route.path) ?? []), route]);
    }
  }
  return ({ method, url = '' }) => {
    if (!USUAL_TARGET.test(url)) {
      return undefined;
    }
    const path = pathOf(url);
    const route = exact.get(path)?.find((candidate) => candidate.method === method);
    if (route !== undefined) {
      return { route, path, parameters: NO_PARAMETERS };
    }
    for (const candidate of patterns) {
      const groups =
        candidate.route.method === method ? candidate.pattern.exec(path)?.groups : undefined;
      // What is encoded may not be decodable.
      if (groups !== undefined && !path.includes('%')) {
        return { route: candidate.route, path, parameters: groups };
      }
    }
    return undefined;
  };
}

/** The path of the direct route that has answered a request. */
export function directPathOf(request: IncomingMessage): string | undefined {
  const routed: RoutedRequest = request;
  return routed[ROUTE]?.path;
}

/** Answers a request by its route. */
export async function answerDirectly(
  found: FoundRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { route } = found;
  const routed: RoutedRequest = request;
  routed[ROUTE] = route;
  try {
    await route.answer(request, response, found);
  } catch (thrown) {
    route.writeError(thrown, request, response, () => {
      request.socket.destroy();
    });
  }
}
