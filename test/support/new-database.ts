import { inject } from 'vitest';
import { createDatabase, TEMPLATE } from './database.ts';

/** Creates a database on the tests' PostgreSQL, by default a migrated one; resolves to its URL. */
export const newDatabase = (template: string = TEMPLATE): Promise<string> =>
  createDatabase(inject('postgresUrl'), { template });

/** Creates a database without tables. */
export const emptyDatabase = (): Promise<string> => createDatabase(inject('postgresUrl'));
