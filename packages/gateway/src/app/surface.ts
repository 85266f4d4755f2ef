import type { RequestListenerOptions } from '@store-gateway/http';

export const GRAPHQL_PATH = '/graphql';

export type SurfaceOf = NonNullable<RequestListenerOptions['surfaceOf']>;

/** Tells the surface that answers at an address. */
export function createSurfaceOf(restPath: string): SurfaceOf {
  return (path) => {
    if (isAtOrUnder(restPath, path)) {
      return 'rest';
    }
    return isAtOrUnder(GRAPHQL_PATH, path) ? 'graphql' : 'other';
  };
}

function isAtOrUnder(address: string, path: string): boolean {
  return (
    path.startsWith(address) && (path.length === address.length || path[address.length] === '/')
  );
}
