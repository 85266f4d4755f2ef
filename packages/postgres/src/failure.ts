import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { DatabaseError } from 'pg';
import { codedError } from '@gateway/errors/coded-error';
import { Prisma } from '../../../src/database/generated/client.ts';
import { refusalOfWrite } from './write-refusals.ts';

/**
 * The classes of SQLSTATE for what is the statement's own fault, and ours: bad data, a broken constraint,
 * something that isn't there, more than there is room for, or what a trigger objects to. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const FAULTS_OF_A_STATEMENT = /^(?:22|23|42|54|P0)/;

/** Those of them that are for the values of one request alone. */
const FAULTS_OF_VALUES = /^(?:22|23|54|P0)/;

/**
 * The error as SERVICE_UNAVAILABLE if the database is to blame for it (away, shutting down, out of
 * connections, too slow), otherwise the error itself.
 */
export function asUnavailable(error: unknown): unknown {
  if (isOurs(error)) {
    return error;
  }
  return (
    refusalOfWrite(error) ?? codedError('SERVICE_UNAVAILABLE', 'the database did not answer', error)
  );
}

/** Whether the database has executed a statement and found fault with what it was given. */
export function isFaultOfStatement(error: unknown): boolean {
  return error instanceof DatabaseError && FAULTS_OF_A_STATEMENT.test(error.code ?? '');
}

/** Whether it may have found none with others that were in the same batch. */
export function isFaultOfValues(error: unknown): boolean {
  return error instanceof DatabaseError && FAULTS_OF_VALUES.test(error.code ?? '');
}

function isOurs(error: unknown): boolean {
  if (isFaultOfStatement(error)) {
    return true;
  }
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) {
    return error instanceof Prisma.PrismaClientValidationError;
  }
  const driverError = error.meta?.['driverAdapterError'];
  return (
    driverError instanceof DriverAdapterError &&
    FAULTS_OF_A_STATEMENT.test(driverError.cause.originalCode ?? '')
  );
}
