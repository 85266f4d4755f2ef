import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { notFound } from '@gateway/pothos-rest/error-response';
import { refusalOf, type Refuse } from '@gateway/http-server/rejection';

const NO_ADDRESS = refusalOf('NOT_FOUND', notFound().message);

type Route = (
  request: IncomingMessage,
  response: ServerResponse,
  done: (error?: unknown) => void,
) => void;

/**
 * Answers in the place of Express's final handler, which sends HTML. Requests come here in whose target Express finds
 * no path, such as `/\!@#`, since no route is tried for them.
 */
export function answerUnrouted(app: Express, refuse: Refuse): RequestListener {
  const route: Route = app;
  return (request, response) => {
    route(request, response, (error) => {
      if (error === undefined) {
        refuse(request, response, NO_ADDRESS);
      } else {
        // The answer has begun (packages/http-server/src/http/error-writer.ts): only its end tells the client that it isn't whole.
        request.socket.destroy();
      }
    });
  };
}
