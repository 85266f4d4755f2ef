export { createBackendReaper } from './backend-reaper.ts';
export { expectSessionSettings } from './connection-options.ts';
export {
  asUnavailableToPrisma,
  isValueError,
  isWriteRejection,
  isUndefinedTableOrColumn,
} from './errors.ts';
export {
  createPool,
  type DatabaseTimeouts,
  type PoolOptions,
  renewConnections,
  REQUEST_TIMEOUTS,
  warmUp,
} from './pool.ts';
export type { Pooler } from './pooler.ts';
export { createReplicaReads } from './replicas/replica-reads.ts';
export { isOfStandby } from './servers-in-turn.ts';
export {
  addressOf,
  connectionFailure,
  openStartSession,
  START_TIMEOUT_MS,
} from './start-session.ts';
export {
  createPing,
  isUnplanned,
  retryConflicts,
  retryMissing,
  runStatement,
  runTransaction,
  runWrite,
  timeStatement,
} from './statement.ts';
export {
  createReferenceNames,
  createViolatedFields,
  isRaised,
  raisedOf,
  type ViolatedFields,
  type Violation,
  ViolationError,
  violationOf,
} from './violation.ts';
