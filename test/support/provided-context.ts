import 'vitest';

/* Values that postgres-setup.ts provides to all tests. */
declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of this run's PostgreSQL. */
    postgresUrl: string;
    /** Whether it is a Citus coordinator. */
    isSharded: boolean;
  }
}
