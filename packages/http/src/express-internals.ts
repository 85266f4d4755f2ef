import type { IRouter } from 'express';

/*
 * The only uses of private parts of Express: how a router matches a path. test/direct-routes.test.ts fails if an Express release
 * changes them.
 */

type Layer = IRouter['stack'][number];

/** The layers that a router would call for a request, in their order. */
export function* calledFor(router: IRouter, method: string, path: string): Generator<Layer> {
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
