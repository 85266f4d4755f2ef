import { defineConfig } from 'vitest/config';
import { globalSetup, shared } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...shared,
    globalSetup,
    include: ['test/system/*.test.ts'],
    // What each measures takes a machine of its own.
    fileParallelism: false,
    // Four starts and four ends under load.
    testTimeout: 120_000,
  },
});
