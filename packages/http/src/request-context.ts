import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestContext, redactKeys } from '@store-gateway/ops';

/** The form of a client's request id: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * https://www.w3.org/TR/trace-context/#traceparent-header: version ff is invalid, and only versions after 00 may have more
 * parts.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/;

/** Creates the context of a request when its turn comes. */
export function contextOf(response: ServerResponse, waitedMs: number): RequestContext {
  const { req: request } = response;
  return {
    // A parse error in the request's body may have been answered while it waited.
    id: String(response.getHeader('X-Request-Id') ?? requestIdOf(request)),
    // Logged even if this service doesn't trace, because the client may.
    traceId: traceIdIn(request.headers['traceparent']),
    waitedMs: waitedMs || undefined,
  };
}

/** The client's own X-Request-Id if it is well-formed and contains no key, otherwise a new id. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}

/** The trace id in a request's `traceparent`; undefined if the header is missing or invalid. */
export function traceIdIn(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
