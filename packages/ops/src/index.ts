export { type BatchedRequest, batcherFactory, type CreateBatcher } from './coalescing/batcher.ts';
export { createCoalescer } from './coalescing/coalesce.ts';
export { memoizeLast } from './coalescing/memoize-last.ts';
export {
  exemptStoragesOf,
  noteOwnRead,
  reportingOwnReads,
  reportsOwnReads,
  watchOwnReads,
} from './coalescing/own-reads.ts';
export { createTimeouts } from './coalescing/timeouts.ts';
export { GATEWAY_TABLES, tableFault, withoutPrefix } from './gateway-tables.ts';
export { STORE_NAME } from './store-name.ts';
export { listenFailure, StartupFailure } from './startup-failure.ts';
export {
  parseExactly,
  toInt64,
  TooManyExactNumbers,
  jsonFault,
  type JsonFault,
  isJsonObject,
  type Json,
  type JsonObject,
  WrittenJson,
} from './json.ts';
export { isLoopback } from './loopback.ts';
export type { RequestMembers } from './log/logger.ts';
export { droppedLines, log, logRequest, setLogger } from './log/log.ts';
export { redactKeys, redactKeysWith, redactTokens } from './log/redact-keys.ts';
export {
  addWait,
  type AuthenticationOutcome,
  loggedRequest,
  nameOperation,
  outsideRequest,
  requestContext,
  type RequestContext,
  requestMembers,
} from './log/request-context.ts';
export { type Aggregation, exportedName, type Labels, METRICS } from './telemetry/metrics.ts';
export {
  installRecorder,
  recorder,
  type Recorder,
  type Values,
  type Collect,
  installTracer,
  type RouteOf,
  type TracedCoalescer,
  type Tracer,
  tracer,
} from './telemetry/instruments.ts';
export { pathOf, queryOf } from './telemetry/request-path.ts';
export type { RunStatement, Statement, TextRow } from './statement.ts';
export {
  decodedRows,
  foundRows,
  type FoundRows,
  type RowTexts,
  takenBy,
  TakenRows,
  takesRows,
  takingRows,
  takingRowsAs,
  type WrittenColumn,
} from './taken-rows.ts';
