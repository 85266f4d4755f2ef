import { AsyncLocalStorage } from 'node:async_hooks';
import { storeUnnoticed } from '../coalescing/own-reads.ts';

/** `unknown` is also a key that was revoked; `rate_limited` one that was not looked up. */
export type AuthenticationOutcome =
  | 'ok'
  | 'no_key'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'rate_limited';

/** What is known of a request in flight, for its own log line, and for all others written in its context. */
export interface RequestContext {
  readonly id: string;
  traceId?: string | undefined;
  /** One of the server's own names: an operation of REST, or what GraphQL executes. */
  operation?: string | undefined;
  authentication?: AuthenticationOutcome | undefined;
  keyId?: string | undefined;
  /** Of the caller: of its key, or below 0. */
  callerId?: bigint | undefined;
  /** The field of Mutation that is being resolved. */
  mutation?: string | undefined;
  /** The id of another request under which its error is logged, as they share it. */
  errorLoggedUnder?: string | undefined;
  /** The code of a failure of the service (OpenTelemetry's error.type) behind a status of success. */
  errorType?: string | undefined;
  /** Set if the caller may not have some of it, behind a status of success. */
  forbidden?: true | undefined;
  /** How long it has waited for its client's turns and share. */
  waitedMs?: number | undefined;
  /** Set if it uses something deprecated. */
  deprecated?: true | undefined;
}

/** What is known of the current request; undefined outside of any. */
export const requestContext = new AsyncLocalStorage<RequestContext>();

/** Runs what a request has triggered outside its context: it is logged and traced as part of no request. */
export const outsideRequest = AsyncLocalStorage.snapshot();

/**
 * The request under which is logged what happens now. Resolvers read `requestContext`, so that it is noticed: their result is
 * then no other request's.
 */
export function loggedRequest(): RequestContext | undefined {
  return storeUnnoticed(requestContext);
}

/** The members by which a line names the current request: none outside one. */
export function requestMembers(): { readonly requestId?: string; readonly traceId?: string } {
  const request = loggedRequest();
  if (request === undefined) {
    return {};
  }
  const { id: requestId, traceId } = request;
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

/** Sets the operation of the current request, one of the server's own names. */
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
