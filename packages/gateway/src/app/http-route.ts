import { directPathOf } from '@store-gateway/http';
import { pathOf, type RouteOf } from '@store-gateway/ops';
import { inOpenApi } from '@store-gateway/rest';

/**
 * Tells the path of the route that was found for a request, with parameters as in OpenAPI. A request that shares another's
 * response has no route; its path has no parameters.
 */
export function createRouteOf(sharedAddresses: ReadonlySet<string>): RouteOf {
  return (request) => {
    if ('route' in request && 'baseUrl' in request) {
      return routeFound(request);
    }
    const direct = directPathOf(request);
    if (direct !== undefined) {
      return inOpenApi(direct);
    }
    const path = pathOf(request.url ?? '');
    return sharedAddresses.has(path) ? path : undefined;
  };
}

function routeFound({ route, baseUrl }: { route: unknown; baseUrl: unknown }): string | undefined {
  const isRoute = typeof route === 'object' && route !== null && 'path' in route;
  if (!isRoute || typeof route.path !== 'string' || typeof baseUrl !== 'string') {
    return undefined;
  }
  const path = route.path === '/' && baseUrl !== '' ? '' : route.path;
  return inOpenApi(baseUrl + path);
}
