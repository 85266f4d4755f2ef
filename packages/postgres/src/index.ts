export { createBackendReaper } from './backend-reaper.ts';
export { addressOf, connectionFailure, START_TIMEOUT_MS } from './connection-failure.ts';
export { asUnavailableToPrisma, isUndefinedTableOrColumn } from './failure.ts';
export { createPing } from './ping.ts';
export {
  createPool,
  type DatabaseTimeouts,
  type PoolOptions,
  renewConnections,
  REQUEST_TIMEOUTS,
  warmUp,
} from './pool.ts';
export type { Pooler } from './pooler.ts';
export { createReferenceNames, createViolatedFields, type ViolatedFields } from './violation.ts';
export { createReplicaReads } from './replicas/replica-reads.ts';
export { expectSessionSettings } from './session-settings.ts';
export { isOfStandby } from './servers-in-turn.ts';
export { openStartSession } from './start-session.ts';
export {
  isUnplanned,
  retryConflicts,
  retryMissing,
  runStatement,
  runWrite,
  timeStatement,
} from './statement.ts';
export { runTransaction } from './transaction.ts';
export { isRaised, raisedOf, type Violation, ViolationError, violationOf } from './violation.ts';
export { isRefusalOfWrite } from './failure.ts';
export { isFaultOfValues } from './sqlstate.ts';
