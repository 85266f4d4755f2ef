import { PrismaClientKnownRequestError } from '@prisma/client/runtime/client';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { DatabaseError } from 'pg';

/** What Prisma's adapter has made of PostgreSQL's error; of a commit Prisma throws it as it is. */
export function driverErrorOf(error: unknown): DriverAdapterError['cause'] | undefined {
  const isKnown = error instanceof PrismaClientKnownRequestError;
  const driverError = isKnown ? error.meta?.['driverAdapterError'] : error;
  return driverError instanceof DriverAdapterError ? driverError.cause : undefined;
}

/**
 * The SQLSTATE of what node-postgres or Prisma has thrown; empty for an error that isn't PostgreSQL's
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function sqlStateOf(error: unknown): string {
  const code = error instanceof DatabaseError ? error.code : driverErrorOf(error)?.originalCode;
  return code ?? '';
}
