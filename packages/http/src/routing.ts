import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { codedError } from '@store-gateway/ops/errors';
import { answerDirectly, type FindRoute, handlerOf, type DirectRoute } from './direct-routes.ts';
import { HeaderListResponse } from './header-list-response.ts';
import type { Reject } from './request-head.ts';
import { calledFor } from './express-internals.ts';

type Route = (
  request: IncomingMessage,
  response: ServerResponse,
  done: (error?: unknown) => void,
) => void;

const NOT_FOUND = codedError('NOT_FOUND', 'There is nothing at this address');

/**
 * Routes requests to their direct routes or to Express, and answers in the place of its final handler, which sends HTML.
 * Requests come there in whose target Express finds no path, such as `/\!@#`, since no route is tried for them.
 */
export function routeTo(app: Express, reject: Reject, findRoute: FindRoute): RequestListener {
  const route: Route = app;
  return (request, response) => {
    const found = findRoute(request);
    if (found !== undefined) {
      void answerDirectly(found, request, response);
      return;
    }
    if (response instanceof HeaderListResponse) {
      response.leaveHeaders();
    }
    route(request, response, (error) => {
      if (error === undefined) {
        reject(request, response, NOT_FOUND);
      } else {
        // The response has begun (message/error-writer.ts): only its end shows the client that it is incomplete.
        request.socket.destroy();
      }
    });
  };
}

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
