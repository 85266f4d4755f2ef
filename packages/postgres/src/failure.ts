import type { GraphQLError } from 'graphql';
import { DatabaseError } from 'pg';
import { codedError, tooSlow } from '@store-gateway/ops/errors';
import {
  isNamed,
  knownRequestErrorOf,
  driverErrorOf,
  RAISED_CLASSES,
  sqlStateOf,
} from './sqlstate.ts';

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

/** Whether refusalOfWrite made it. */
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
