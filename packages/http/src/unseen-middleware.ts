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
    const [first] = calledFor(app.router, method, path.replaceAll(/:\w+/g, '1'));
    if (first?.handle !== handlerOf(route)) {
      const what = first === undefined ? 'has no route' : `has the middleware ${first.name} before`;
      throw new Error(
        `Express ${what} ${method} ${path}, and most requests go there directly: middleware that must see every request belongs in the steps of createRequestListener`,
      );
    }
  }
}

/** The layers that a router would call for a request, in their order. */
function* calledFor(router: IRouter, method: string, path: string): Generator<Layer> {
  for (const layer of router.stack) {
    const matched = prefixOf(layer, path);
    if (matched === undefined || layer.handle.length > 3) {
      // Of another path, or for errors.
      continue;
    }
    if (layer.route !== undefined) {
      // A layer for all methods has none.
      yield* layer.route.stack.filter((each) => (each.method ?? method).toUpperCase() === method);
    } else if (isRouter(layer.handle)) {
      yield* calledFor(layer.handle, method, path.slice(matched.length) || '/');
    } else {
      yield layer;
    }
  }
}

/** What a layer matches of a path. */
function prefixOf(layer: Layer, path: string): string | undefined {
  const match: unknown = Reflect.get(layer, 'match');
  const matched: unknown =
    typeof match === 'function' ? Reflect.apply(match, layer, [path]) : undefined;
  const prefix: unknown = matched instanceof Object ? Reflect.get(matched, 'path') : undefined;
  return typeof prefix === 'string' ? prefix : undefined;
}

function isRouter(handle: object): handle is IRouter {
  return 'stack' in handle && Array.isArray(handle.stack);
}
