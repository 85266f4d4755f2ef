import { isJsonObject } from '@store-gateway/ops';
import './pg-internals.ts';
import { DatabaseError } from 'pg';

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
export function isNamed(error: unknown, name: PrismaError): error is Error {
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
