import './pg-internals.ts';
import { DatabaseError } from 'pg';
import { driverErrorOf } from './prisma-errors.ts';

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
