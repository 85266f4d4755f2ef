/**
 * https://www.w3.org/TR/trace-context/#traceparent-header: there is no version ff, and only to versions after
 * 00 more may be added.
 */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/;

/** The trace that a request's `traceparent` names, or undefined if that isn't one. */
export function traceIdIn(traceparent: unknown): string | undefined {
  return typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
}
