import { JSON_BODY, MERGE_PATCH, REPLACEMENT, type BodyFormat } from '@store-gateway/http';
import type { Route } from './rest.ts';

/** Returns the format of a route's request body, for routes that have one. */
export function bodyFormatOf({ method }: Pick<Route, 'method'>): BodyFormat {
  if (method === 'patch') {
    return MERGE_PATCH;
  }
  return method === 'put' ? REPLACEMENT : JSON_BODY;
}
