import type { Express, IRouter } from 'express';
import { handlerOf, type DirectRoute } from './direct-routes.ts';

type Layer = IRouter['stack'][number];

/**
 * Refuses an app in which Express would do anything before it comes to a direct route: most requests never come to Express.
 *
 * @throws Error that says where it belongs
 */
export function refuseUnseenMiddleware(app: Express, routes: readonly DirectRoute[]): void {
  for (const route of routes) {
    const { method, path } = route;
    // As a request has it.
    const layer = layerBefore(app.router, route, path.replaceAll(/:\w+/g, '1'));
    if (layer !== 'none') {
      const what = layer === undefined ? 'has no route' : `has the middleware ${layer.name} before`;
      throw new Error(
        `Express ${what} ${method} ${path}, and most requests go there directly: what is to see every request belongs into the steps of createRequestListener`,
      );
    }
  }
}

/** The layer that would be called before the route; undefined if the router doesn't have that. */
function layerBefore(
  router: IRouter,
  route: DirectRoute,
  path: string,
): Layer | 'none' | undefined {
  for (const layer of router.stack) {
    const matched = prefixOf(layer, path);
    if (matched === undefined || layer.handle.length > 3) {
      // Of another path, or for errors.
      continue;
    }
    if (layer.route !== undefined) {
      const first = layer.route.stack.find(({ method }) => isOf(method, route));
      if (first !== undefined) {
        return handlerOf(route) === first.handle ? 'none' : first;
      }
    } else if (isRouter(layer.handle)) {
      const before = layerBefore(layer.handle, route, path.slice(matched.length) || '/');
      if (before !== undefined) {
        return before;
      }
    } else {
      return layer;
    }
  }
  return undefined;
}

/** What a layer matches of a path. */
function prefixOf(layer: Layer, path: string): string | undefined {
  const match: unknown = Reflect.get(layer, 'match');
  const matched: unknown =
    typeof match === 'function' ? Reflect.apply(match, layer, [path]) : undefined;
  const prefix: unknown = matched instanceof Object ? Reflect.get(matched, 'path') : undefined;
  return typeof prefix === 'string' ? prefix : undefined;
}

/** Whether a route's handler of this method, or of all, is called. */
function isOf(method: string | undefined, route: DirectRoute): boolean {
  return method === undefined || method.toUpperCase() === route.method;
}

function isRouter(handle: object): handle is IRouter {
  return 'stack' in handle && Array.isArray(handle.stack);
}
