export {
  type BatchedRequest,
  batcherFactory,
  type CreateBatcher,
  createTimeouts,
} from './coalescing/batcher.ts';
export { createCoalescer, memoizeLast } from './coalescing/coalesce.ts';
export {
  exemptStoragesOf,
  recordOwnRead,
  reportingOwnReads,
  reportsOwnReads,
  watchOwnReads,
} from './coalescing/own-reads.ts';
export {
  isJsonObject,
  isStorableText,
  type Json,
  jsonFault,
  type JsonFault,
  type JsonObject,
  parseExactly,
  toInt64,
  TooManyExactNumbers,
  WrittenJson,
} from './json.ts';
export { droppedLines, log, logRequest, type RequestMembers, setLogger } from './log/log.ts';
export { redactKeys, redactKeysWith, redactTokens } from './log/redact-keys.ts';
export {
  addWait,
  type AuthenticationOutcome,
  isLoopback,
  loggedRequest,
  nameOperation,
  outsideRequest,
  pathOf,
  queryOf,
  type RequestContext,
  requestContext,
  requestMembers,
} from './log/request-context.ts';
export { GATEWAY_TABLES, STORE_NAME, tableFault, withoutPrefix } from './names.ts';
export {
  decodedRows,
  foundRows,
  type FoundRows,
  type RowTexts,
  type RunStatement,
  type Statement,
  sendToSink,
  RowSink,
  acceptsRowSink,
  withRowSink,
  withRowSinkOf,
  type TextRow,
  type WrittenColumn,
} from './rows.ts';
export { listenFailure, StartupFailure } from './startup-failure.ts';
export {
  type Aggregation,
  type Collect,
  exportedName,
  installRecorder,
  installTracer,
  type Labels,
  METRICS,
  recorder,
  type Recorder,
  type RouteOf,
  type TracedCoalescer,
  tracer,
  type Tracer,
  type Values,
} from './telemetry/instruments.ts';
