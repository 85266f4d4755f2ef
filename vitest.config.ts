import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Of all tests, those of the other configurations too. */
export const shared = {
  // Node runs the tests as it runs the service: TypeScript as it is, nothing transformed.
  experimental: { viteModuleRunner: false },
  testTimeout: 30_000,
  hookTimeout: 60_000,
} as const;

export const globalSetup = 'test/support/postgres-setup.ts';

/** They hold every answer under a load of their own against 2 s: with others beside them they would measure the machine. */
const MEASURED = [
  'test/fault-*.test.ts',
  'test/frozen-database.test.ts',
  'test/fuzz.test.ts',
  'test/outage.test.ts',
  'test/soak-run.test.ts',
];

export default defineConfig({
  test: {
    ...shared,
    globalSetup,
    projects: [
      {
        test: {
          ...shared,
          name: 'together',
          // Those in a browser, test/browser, have a configuration of their own, and so has test/system.
          include: ['test/*.test.ts'],
          exclude: MEASURED,
          // Each file has a database of its own, so that all may run at once; tests of a file share it and
          // make their own data.
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: MEASURED,
          fileParallelism: false,
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
