import type { ServerResponse } from 'node:http';

/** Tells caches that a response depends on a header of the request. */
export function varyBy(response: ServerResponse, name: string): void {
  const set = response.getHeader('Vary');
  if (set === undefined) {
    response.setHeader('Vary', name);
  } else if (!String(set).split(', ').includes(name)) {
    response.setHeader('Vary', `${String(set)}, ${name}`);
  }
}
