import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Those in a browser, test/browser, have a configuration of their own.
    include: ['test/*.test.ts'],
    globalSetup: 'test/support/postgres-setup.ts',
    // Each file has a database of its own, so that all may run at once; tests of a file share it and
    // make their own data.
    maxWorkers: availableParallelism(),
    // Node runs the tests as it runs the service: TypeScript as it is, nothing transformed.
    experimental: { viteModuleRunner: false },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
