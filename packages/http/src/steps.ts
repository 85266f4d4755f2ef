import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { WriteError } from './message/error-writer.ts';

/**
 * The steps of each request, in this order. Probes, and input that Node can't parse, skip them. The request listener
 * (request-listener.ts) nests those from `trace` to `route` in the order of this list, and `runExchange` (exchange.ts) runs those
 * from `admit` to `represent`. Paths are relative to `packages`.
 */
export const STEPS = {
  listen: 'Limit connections and pipelined requests (http/src/listen.ts).',
  identify: 'Name the client by key or address (gateway/src/auth/admission.ts).',
  limit: "Count the client's open requests (http/src/request-listener.ts).",
  queue: "Wait for the client's turn (http/src/fair/fair-queue.ts).",
  trace: 'Start a span (opentelemetry/src/tracing/spans.ts).',
  prepare: 'Set CORS headers (http/src/cors.ts).',
  steps: "Run the store's `steps` (src/api.ts).",
  check:
    'Answer preflights; reject heads over a limit and excess requests (http/src/request-head.ts).',
  route: 'Find the endpoint, or call Express (http/src/endpoints.ts).',
  admit: 'Authenticate the caller, and count the request (gateway/src/auth/admission.ts).',
  accept: 'Check the media type, scopes and the idempotency key (http/src/exchange.ts).',
  read: 'Parse the body (http/src/message/request-body.ts).',
  plan: 'Make the operation (rest/src/serve.ts, graphql/src/yoga-server.ts).',
  operationSteps:
    "Check scopes, and run the store's `operationSteps` (graphql/src/execution/execute.ts).",
  execute: "Run the operation within the key's share (gateway/src/app/fair-execution.ts).",
  represent: 'Write JSON (rest/src/operation.ts, graphql/src/http-response.ts).',
  send: 'Send the response (http/src/message/send.ts).',
  log: 'Log the request and its duration (http/src/request-listener.ts).',
} as const;

/** Wraps a request listener around the next one. */
export type Layer = (next: RequestListener) => RequestListener;

/** Nests these layers in the order of STEPS. */
export function nested(
  layers: { readonly [Name in keyof typeof STEPS]?: Layer },
  innermost: RequestListener,
): RequestListener {
  const byName = new Map<string, Layer>(Object.entries(layers));
  return Object.keys(STEPS).reduceRight(
    (next, name) => byName.get(name)?.(next) ?? next,
    innermost,
  );
}

/**
 * A step before a request is answered: middleware that doesn't depend on Express. It calls `next`, answers the request, or
 * throws.
 */
export type Step = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown;

/** Runs these steps in order, and then calls the listener. */
export function runSteps(
  steps: readonly Step[],
  listener: RequestListener,
  writeError: WriteError,
): RequestListener {
  return steps.reduceRight<RequestListener>(
    (answer, step) => (request, response) => {
      const fail = (thrown: unknown): void => {
        writeError(thrown, request, response, () => request.socket.destroy());
      };
      const take = async (): Promise<void> => {
        await step(request, response, (error) => {
          if (error == null) {
            answer(request, response);
          } else {
            fail(error);
          }
        });
      };
      take().catch(fail);
    },
    listener,
  );
}
