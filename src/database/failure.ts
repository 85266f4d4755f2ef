import { codedError } from '../errors.ts';
import { Prisma } from './generated/client.ts';

/**
 * Prisma's codes for what is the statement's own fault, and ours: it would fail again on the healthiest
 * of databases. https://www.prisma.io/docs/orm/reference/error-reference
 */
const FAULTS_OF_A_STATEMENT = /^P20(?:[01][0-9]|2[0-35])$/;

/**
 * The error as SERVICE_UNAVAILABLE if the database is to blame for it (away, shutting down, out of
 * connections, too slow), otherwise the error itself.
 */
export function asUnavailable(error: unknown): unknown {
  const ours =
    error instanceof Prisma.PrismaClientValidationError ||
    (error instanceof Prisma.PrismaClientKnownRequestError &&
      FAULTS_OF_A_STATEMENT.test(error.code));
  return ours ? error : codedError('SERVICE_UNAVAILABLE', 'the database did not answer', error);
}
