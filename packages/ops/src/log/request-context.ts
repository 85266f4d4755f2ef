import { AsyncLocalStorage } from 'node:async_hooks';
import { peekStore } from '../coalescing/own-reads.ts';

/** The outcome of a request's authentication. `unknown` includes revoked keys. A `rate_limited` key was not looked up. */
export type AuthenticationOutcome =
  | 'ok'
  | 'no_key'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'rate_limited';

/** Data about a request in flight, for its own log line and for all other lines in its context. */
export interface RequestContext {
  readonly id: string;
  traceId?: string | undefined;
  /**
   * The operation's name for logs and metrics, never the client's `operationName`: the REST operation; for GraphQL, the root
   * field, `several`, `none` or `invalid`; or `overloaded` for a request rejected because of an overload.
   */
  operation?: string | undefined;
  authentication?: AuthenticationOutcome | undefined;
  keyId?: string | undefined;
  /** The id of the caller's key; negative for a user. */
  callerId?: bigint | undefined;
  /** The field of Mutation that is being resolved. */
  mutation?: string | undefined;
  /** The id of another request under which this request's error is logged, because they share the error. */
  errorLoggedUnder?: string | undefined;
  /** The code of a service failure in a response whose status reports success (OpenTelemetry's error.type). */
  errorType?: string | undefined;
  /** Set if the caller was denied part of the result, in a response whose status reports success. */
  forbidden?: true | undefined;
  /** Milliseconds that the request has waited for its client's turns and for its client's share. */
  waitedMs?: number | undefined;
  /** Set if the request uses something deprecated. */
  deprecated?: true | undefined;
}

/** The context of the current request; undefined outside requests. */
export const requestContext = new AsyncLocalStorage<RequestContext>();

/**
 * Runs work outside the context of the request that triggered it, so that the work isn't logged or traced as part of a request.
 */
export const outsideRequest = AsyncLocalStorage.snapshot();

/**
 * Returns the current request for logging, without reporting the read. Resolvers read `requestContext` instead, so that their
 * results aren't shared with other requests.
 */
export function loggedRequest(): RequestContext | undefined {
  return peekStore(requestContext);
}

/** Returns the members that identify the current request in a log line; none outside requests. */
export function requestMembers(): { readonly requestId?: string; readonly traceId?: string } {
  const request = loggedRequest();
  if (request === undefined) {
    return {};
  }
  const { id: requestId, traceId } = request;
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

/** Sets the `operation` of the current request. The name must not be chosen by the client. */
export function nameOperation(name: string): void {
  const request = loggedRequest();
  if (request !== undefined) {
    request.operation = name;
  }
}

/** Adds to the time that the current request has waited. */
export function addWait(milliseconds: number): void {
  const request = loggedRequest();
  if (request !== undefined && milliseconds > 0) {
    request.waitedMs = (request.waitedMs ?? 0) + milliseconds;
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL is on this machine, where plain HTTP can't be eavesdropped on. */
export function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK.test(hostname);
}

/** Returns the path of a request's target, without the query, and without the origin of an absolute target (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('/') ? path : path.replace(/^https?:\/\/(?:\[[^\]]*\])?[^/[]*/i, '');
}

/** Returns the query of a request's target, with its question mark; empty if the target has no query. */
export function queryOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? '' : target.slice(start);
}
