import 'vitest';

/* What postgres-setup.ts provides to all tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** Of a PostgreSQL for this run of the tests. */
    postgresUrl: string;
    /** Whether it is a coordinator of Citus. */
    isSharded: boolean;
  }
}
