import { BASE_PATH } from '../rest/rest.ts';

export const GRAPHQL_PATH = '/graphql';

/** The surface that answers at an address. */
export function surfaceOf(path: string): 'rest' | 'graphql' | 'other' {
  if (isAtOrUnder(BASE_PATH, path)) {
    return 'rest';
  }
  return isAtOrUnder(GRAPHQL_PATH, path) ? 'graphql' : 'other';
}

function isAtOrUnder(address: string, path: string): boolean {
  return (
    path.startsWith(address) && (path.length === address.length || path[address.length] === '/')
  );
}
