import { isJsonObject } from '@store-gateway/ops';
import { codedError, tooSlow } from '@store-gateway/ops/errors';
import type { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';
import './pg-internals.ts';

/*
 * Prisma's errors are recognized by name, as Prisma itself recognizes its adapters' errors. This way, pools don't depend on
 * Prisma, and errors from any installed copy of Prisma are recognized.
 */

type PrismaError =
  | 'DriverAdapterError'
  | 'PrismaClientInitializationError'
  | 'PrismaClientKnownRequestError'
  | 'PrismaClientValidationError';

/** Whether an error is Prisma's error with this name. */
function isNamed(error: unknown, name: PrismaError): error is Error {
  return error instanceof Error && error.name === name;
}

/** Prisma's error for a rejected request, with its code, such as P2025. */
export interface KnownRequestError {
  readonly code: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Returns the code and details of a PrismaClientKnownRequestError; undefined for other errors. */
export function knownRequestErrorOf(error: unknown): KnownRequestError | undefined {
  if (!isNamed(error, 'PrismaClientKnownRequestError')) {
    return undefined;
  }
  const meta: unknown = Reflect.get(error, 'meta');
  return { code: String(Reflect.get(error, 'code')), meta: isJsonObject(meta) ? meta : {} };
}

/** PostgreSQL's error, as Prisma's adapter reports it. */
export interface DriverError {
  /** The error's SQLSTATE. */
  readonly originalCode: string | undefined;
  readonly originalMessage: string | undefined;
  /** The violated index or fields, which Prisma reports only for some violations. */
  readonly constraint: Readonly<Record<string, unknown>>;
}

/** Returns PostgreSQL's error as Prisma's adapter reports it. Prisma wraps it in its own error, except for a failed commit. */
export function driverErrorOf(error: unknown): DriverError | undefined {
  const { meta } = knownRequestErrorOf(error) ?? {};
  const thrown: unknown = meta === undefined ? error : meta['driverAdapterError'];
  if (!isNamed(thrown, 'DriverAdapterError') || !isJsonObject(thrown.cause)) {
    return undefined;
  }
  const { originalCode, originalMessage, constraint } = thrown.cause;
  return {
    originalCode: textOf(originalCode),
    originalMessage: textOf(originalMessage),
    constraint: isJsonObject(constraint) ? constraint : {},
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** SQLSTATE classes that PostgreSQL doesn't use, so only RAISE EXCEPTION can report them. */
export const RAISED_CLASSES = '[I-OQ-WYZ]';

/**
 * Returns the SQLSTATE of an error that node-postgres or Prisma threw; empty if it isn't PostgreSQL's
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function sqlStateOf(error: unknown): string {
  const code = error instanceof DatabaseError ? error.code : driverErrorOf(error)?.originalCode;
  return code ?? '';
}

/** The SQLSTATE classes for bad data, constraints, limits and exceptions that triggers raise. */
const VALUE_ERRORS = new RegExp(`^(?:22|23|54|P0|${RAISED_CLASSES})`);

/** SQLSTATE for a connection that the server itself has lost, for example to a Citus worker. */
const CONNECTION_FAILURE = '08006';

/** Whether the server has lost a Citus worker, or forwards a worker's error. The session itself is still usable. */
export function isFailureOfWorker(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.code === CONNECTION_FAILURE || error.file === 'remote_commands.c')
  );
}

/**
 * Whether PostgreSQL rejected a statement's values. Other requests in the statement's batch may succeed, and the session is still
 * usable.
 */
export function isValueError(error: unknown): boolean {
  return VALUE_ERRORS.test(sqlStateOf(error));
}

/** SQLSTATEs of a database that responds but rejects writes, because it is read-only or its disk is full. */
const NO_WRITES: ReadonlySet<string | undefined> = new Set(['25006', '53100']);

/** Milliseconds during which all rejected writes share one error, so that it is logged once. */
const SHARED_MS = 10_000;

let shared:
  | { readonly error: GraphQLError; readonly code: string | undefined; readonly at: number }
  | undefined;

/** Returns SERVICE_UNAVAILABLE if the thrown error means that the database rejects writes, otherwise undefined. */
function writeRejection(thrown: unknown): GraphQLError | undefined {
  if (!rejectsWrites(thrown)) {
    return undefined;
  }
  const { code } = thrown;
  const now = performance.now();
  if (shared === undefined || shared.code !== code || now - shared.at > SHARED_MS) {
    const error = codedError('SERVICE_UNAVAILABLE', 'the database rejects writes', thrown);
    shared = { error, code, at: now };
  }
  return shared.error;
}

/** Whether `writeRejection` created an error. */
export function isWriteRejection(error: unknown): boolean {
  return error instanceof Error && rejectsWrites(error.cause);
}

/** Whether PostgreSQL's own error means that the database rejects writes. */
export function rejectsWrites(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof DatabaseError && NO_WRITES.has(thrown.code);
}

/**
 * SQLSTATE classes of errors that the statement itself causes: bad data, a violated constraint, a missing object, an exceeded
 * limit, or an exception that a trigger raises, which may have its own class.
 */
const STATEMENT_ERRORS = new RegExp(`^(?:22|23|42|54|P0|${RAISED_CLASSES})`);

/** SQLSTATEs for statements that are never supported, or not within a transaction. */
const UNSUPPORTED = /^(?:0A000|25001)$/;

/** undefined_table and undefined_column */
const UNDEFINED = /^(?:42P01|42703)$/;

/**
 * Prisma's own codes for a faulty call (https://www.prisma.io/docs/orm/reference/error-reference). All others, including
 * Node's codes such as EPIPE, mean that the database is unreachable, has no free connection, or has conflicting transactions.
 */
const CALL_ERRORS = /^P20(?!24|28|34)(?:[0-2]\d|3[0-5])$/;

/** SQLSTATE of a cancelled statement, for example after statement_timeout. */
const CANCELLED = '57014';

/** Messages of node-postgres's timeouts: running a statement, waiting for a connection, and opening one. */
const TIMEOUTS: ReadonlySet<string> = new Set([
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
]);

/** Prisma's codes for its own timeouts: waiting for a connection, and running a transaction. */
const PRISMA_TIMEOUTS = /^P20(?:24|28)$/;

/**
 * Returns SERVICE_UNAVAILABLE if the database is at fault (unreachable, shutting down, out of connections, too slow),
 * otherwise the error itself.
 */
export function asUnavailable(error: unknown): unknown {
  if (isOurs(error)) {
    return error;
  }
  return (
    writeRejection(error) ??
    (isTimeout(error)
      ? tooSlow('the database did not respond in time', error)
      : codedError('SERVICE_UNAVAILABLE', 'the database did not respond', error))
  );
}

function isTimeout(error: unknown): boolean {
  return (
    sqlStateOf(error) === CANCELLED ||
    (error instanceof Error && TIMEOUTS.has(error.message)) ||
    PRISMA_TIMEOUTS.test(knownRequestErrorOf(error)?.code ?? '')
  );
}

/** Like `asUnavailable`, but only for Prisma's errors that no call has converted yet, such as an error from a transaction. */
export function asUnavailableToPrisma(error: unknown): unknown {
  const isPrismas =
    isNamed(error, 'PrismaClientKnownRequestError') ||
    isNamed(error, 'PrismaClientInitializationError') ||
    isNamed(error, 'DriverAdapterError');
  return isPrismas ? asUnavailable(error) : error;
}

/** Whether the database rejected a statement's values, or can't execute the statement at all. */
export function isStatementError(error: unknown): boolean {
  return STATEMENT_ERRORS.test(sqlStateOf(error)) || isUnsupported(error);
}

/** Whether Citus can't plan a statement, because of the statement's tables or of earlier statements in its transaction. */
function isUnsupported(error: unknown): boolean {
  const message =
    driverErrorOf(error)?.originalMessage ?? (error instanceof Error ? error.message : '');
  const code = sqlStateOf(error);
  return (
    (UNSUPPORTED.test(code) && !isOutdatedPlan(error)) ||
    (code === 'XX000' && message.includes('repartitioning'))
  );
}

/**
 * Whether a statement failed because it was prepared before a migration. The message can't be checked, because it is in the
 * server's language.
 */
function isOutdatedPlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.routine === 'RevalidateCachedQuery';
}

/** Whether a statement names a table or a column that the database doesn't have. */
export function isUndefinedTableOrColumn(error: unknown): boolean {
  return UNDEFINED.test(sqlStateOf(error));
}

function isOurs(error: unknown): boolean {
  const known = knownRequestErrorOf(error);
  if (known !== undefined && driverErrorOf(error) === undefined) {
    return CALL_ERRORS.test(known.code);
  }
  return (
    isStatementError(error) ||
    isNamed(error, 'PrismaClientValidationError') ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}
