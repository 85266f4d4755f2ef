import type { ServerResponse } from 'node:http';

type EndHandler = (response: ServerResponse) => void;

const HANDLERS = Symbol('end handlers');

declare module 'node:http' {
  interface ServerResponse<Request extends IncomingMessage = IncomingMessage> {
    [HANDLERS]?: EndHandler[];
  }
}

/**
 * Calls a handler when a response has been sent or its connection is gone; the last one registered first. One listener
 * serves all handlers of a response: each listener of an event costs every request.
 */
export function onResponseEnd(response: ServerResponse, handler: EndHandler): void {
  const handlers = response[HANDLERS];
  if (handlers === undefined) {
    response[HANDLERS] = [handler];
    response.on('close', runHandlers);
  } else {
    handlers.push(handler);
  }
}

function runHandlers(this: ServerResponse): void {
  const handlers = this[HANDLERS] ?? [];
  for (let index = handlers.length - 1; index >= 0; index -= 1) {
    handlers[index]?.(this);
  }
}
