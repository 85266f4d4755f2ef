import type { Express } from 'express';
import { handlerOf, type DirectRoute } from './direct-routes.ts';
import { calledFor } from './express-internals.ts';

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
