export {
  type ClientOf,
  createRequestListener,
  createRequestQueue,
  type RequestListenerOptions,
} from './request-listener.ts';
export { type Endpoint, endpointPathOf, otherMethods } from './endpoints.ts';
export {
  type Admit,
  announceReplay,
  EMBEDDED_NOW,
  type Exchange,
  INVALID_IDEMPOTENCY_KEY,
  runExchange,
} from './exchange.ts';
export { DEFAULT_TIMEOUTS, expectFreePort, listen } from './listen.ts';
export { createHealth, type Health, LIVE, READY } from './health.ts';
export {
  acceptedType,
  forBrowsers,
  notAcceptable,
  preferredType,
  prefersPage,
  announceStrict,
  prefersStrict,
  STRICT,
  varyBy,
} from './message/negotiation.ts';
export {
  answerOtherMethod,
  isRead,
  JSON_TYPE,
  type Method,
  send,
  sendHeaders,
  withHead,
} from './message/send.ts';
export {
  announceFormat,
  BODY_MESSAGES,
  bodyFormatOf,
  ACCEPTED_ENCODINGS,
  readJson,
  readJsonObject,
  TOO_LARGE_BODY,
} from './message/request-body.ts';
export { type ClientAddress, createClientAddress } from './message/client-address.ts';
export {
  sendNotModified,
  type EntityTags,
  entityTagsIn,
  INVALID_IF_MATCH,
  matchesStrongly,
} from './message/preconditions.ts';
export {
  announceDeprecation,
  announcement,
  type Announcement,
  deprecationHeaders,
} from './message/deprecation-headers.ts';
export {
  errorBody,
  errorWriter,
  graphqlErrorBody,
  type WriteError,
} from './message/error-writer.ts';
export { escapeHtml, html, type Html, protectPage } from './message/page.ts';
export {
  memoize,
  preparePublicDocument,
  type PublicDocument,
  sendPublicDocument,
  servePublicDocument,
  versioned,
  versionOf,
} from './message/public-document.ts';
export { queryParametersOf, redirectTrailingSlash, referenceTo } from './message/query.ts';
export { shutdownSignal } from './shutdown-signal.ts';
export type { Step } from './steps.ts';
