import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RequestContext, redactKeys } from '@store-gateway/ops';

/** What an id from outside may look like: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/**
 * https://www.w3.org/TR/trace-context/#traceparent-header: there is no version ff, and only to versions after
 * 00 more may be added.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/;

/** What is known of a request when its turn comes. */
export function contextOf(response: ServerResponse, waitedMs: number): RequestContext {
  const { req: request } = response;
  return {
    // A parse error in its body may have been answered while it waited.
    id: String(response.getHeader('X-Request-Id') ?? requestIdOf(request)),
    // Also without traces of our own: the caller may have some.
    traceId: traceIdIn(request.headers['traceparent']),
    waitedMs: waitedMs || undefined,
  };
}

/** The client's own X-Request-Id if it is well-formed and has no key in it, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && redactKeys(given) === given
    ? given
    : randomUUID();
}

/** The trace that a request's `traceparent` names, or undefined if that isn't one. */
export function traceIdIn(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
