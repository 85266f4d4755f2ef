import { isJsonObject } from '@store-gateway/ops';
import { codedError, tooSlow } from '@store-gateway/ops/errors';
import type { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';
import './pg-internals.ts';

/*
 * Prisma's errors are known by their names, as Prisma itself knows those of its adapters: so pools need nothing of Prisma's, and
 * it doesn't matter which copy of it has thrown.
 */

type PrismaError =
  | 'DriverAdapterError'
  | 'PrismaClientInitializationError'
  | 'PrismaClientKnownRequestError'
  | 'PrismaClientValidationError';

/** Whether an error is one of Prisma's of this name. */
function isNamed(error: unknown, name: PrismaError): error is Error {
  return error instanceof Error && error.name === name;
}

/** A request that Prisma has rejected with a code of its own, such as P2025. */
export interface KnownRequestError {
  readonly code: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** What a PrismaClientKnownRequestError says; undefined for any other error. */
export function knownRequestErrorOf(error: unknown): KnownRequestError | undefined {
  if (!isNamed(error, 'PrismaClientKnownRequestError')) {
    return undefined;
  }
  const meta: unknown = Reflect.get(error, 'meta');
  return { code: String(Reflect.get(error, 'code')), meta: isJsonObject(meta) ? meta : {} };
}

/** PostgreSQL's error, as Prisma's adapter tells of it. */
export interface DriverError {
  /** Its SQLSTATE. */
  readonly originalCode: string | undefined;
  readonly originalMessage: string | undefined;
  /** Of some violations: the index, or the fields. */
  readonly constraint: Readonly<Record<string, unknown>>;
}

/** What Prisma's adapter has made of PostgreSQL's error; of a commit Prisma throws it as it is. */
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

/** Classes in which PostgreSQL has no errors, so that only RAISE EXCEPTION reports them. */
export const RAISED_CLASSES = '[I-OQ-WYZ]';

/**
 * The SQLSTATE of what node-postgres or Prisma has thrown; empty for an error that isn't PostgreSQL's
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function sqlStateOf(error: unknown): string {
  const code = error instanceof DatabaseError ? error.code : driverErrorOf(error)?.originalCode;
  return code ?? '';
}

/** The SQLSTATE classes for bad data, constraints, limits and exceptions that triggers raise. */
const FAULTS_OF_VALUES = new RegExp(`^(?:22|23|54|P0|${RAISED_CLASSES})`);

/** SQLSTATE of a connection that the server itself has lost. */
const CONNECTION_FAILURE = '08006';

/** Whether the server reports that it lost a worker of Citus, or what the worker answered. Its own session is still usable. */
export function isFailureOfWorker(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.code === CONNECTION_FAILURE || error.file === 'remote_commands.c')
  );
}

/** Whether PostgreSQL rejected a statement's values. Other requests of its batch may succeed, and the session is still usable. */
export function isFaultOfValues(error: unknown): boolean {
  return FAULTS_OF_VALUES.test(sqlStateOf(error));
}

/** SQLSTATEs of a database that answers but takes no writes: it is read-only, or its disk is full. */
const NO_WRITES: ReadonlySet<string | undefined> = new Set(['25006', '53100']);

/** Milliseconds for which all refused writes share one error, which is logged once. */
const SHARED_MS = 10_000;

let shared:
  | { readonly error: GraphQLError; readonly code: string | undefined; readonly at: number }
  | undefined;

/** SERVICE_UNAVAILABLE, if that is what the thrown error comes to: the database rejects writes. */
function refusalOfWrite(thrown: unknown): GraphQLError | undefined {
  if (!refusesWrites(thrown)) {
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

/** Whether `refusalOfWrite` made it. */
export function isRefusalOfWrite(error: unknown): boolean {
  return error instanceof Error && refusesWrites(error.cause);
}

/** Whether PostgreSQL's own error says so. */
export function refusesWrites(thrown: unknown): thrown is DatabaseError {
  return thrown instanceof DatabaseError && NO_WRITES.has(thrown.code);
}

/**
 * Classes of SQLSTATE that are the statement's own fault: bad data, a broken constraint, something missing, a limit of
 * the program, or a trigger's objection, which may have a class of its own.
 */
const STATEMENT_FAULTS = new RegExp(`^(?:22|23|42|54|P0|${RAISED_CLASSES})`);

/** SQLSTATEs of what isn't supported: at all, or within the transaction. */
const UNSUPPORTED = /^(?:0A000|25001)$/;

/** undefined_table and undefined_column */
const UNDEFINED = /^(?:42P01|42703)$/;

/**
 * Prisma's own codes of a call that is at fault (https://www.prisma.io/docs/orm/reference/error-reference). Others, and what it
 * has passed through of Node's such as EPIPE, are of a database that can't be reached, has no connection to spare, or makes
 * transactions wait for each other.
 */
const FAULTS_OF_CALL = /^P20(?!24|28|34)(?:[0-2]\d|3[0-5])$/;

/** SQLSTATE of a statement that was cancelled, as PostgreSQL does at statement_timeout. */
const CANCELLED = '57014';

/** What node-postgres and its pool call their timeouts: of a statement, of the wait for a connection, and of making one. */
const TIMEOUTS: ReadonlySet<string> = new Set([
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Connection terminated due to connection timeout',
]);

/** Prisma's codes of its own timeouts: of the wait for a connection, and of a transaction. */
const PRISMA_TIMEOUTS = /^P20(?:24|28)$/;

/**
 * The error as SERVICE_UNAVAILABLE if the database is to blame (away, shutting down, out of connections, too slow),
 * otherwise the error itself.
 */
export function asUnavailable(error: unknown): unknown {
  if (isOurs(error)) {
    return error;
  }
  return (
    refusalOfWrite(error) ??
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

/** The same for an error of Prisma's that no call has turned into one, such as a transaction's; other errors as they are. */
export function asUnavailableToPrisma(error: unknown): unknown {
  const isPrismas =
    isNamed(error, 'PrismaClientKnownRequestError') ||
    isNamed(error, 'PrismaClientInitializationError') ||
    isNamed(error, 'DriverAdapterError');
  return isPrismas ? asUnavailable(error) : error;
}

/** Whether the database has executed a statement and rejected what it was given, or can't execute it at all. */
export function isFaultOfStatement(error: unknown): boolean {
  return STATEMENT_FAULTS.test(sqlStateOf(error)) || isUnsupported(error);
}

/** Whether Citus can't plan a statement: not on these tables, or not after what its transaction has done. */
function isUnsupported(error: unknown): boolean {
  const message =
    driverErrorOf(error)?.originalMessage ?? (error instanceof Error ? error.message : '');
  const code = sqlStateOf(error);
  return (
    (UNSUPPORTED.test(code) && !isOutdatedPlan(error)) ||
    (code === 'XX000' && message.includes('repartitioning'))
  );
}

/** Whether a statement was prepared before a migration. The message is in the server's language. */
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
    return FAULTS_OF_CALL.test(known.code);
  }
  return (
    isFaultOfStatement(error) ||
    isNamed(error, 'PrismaClientValidationError') ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}
