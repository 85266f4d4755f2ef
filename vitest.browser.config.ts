import { defineConfig } from 'vitest/config';
import { globalSetup, shared } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...shared,
    globalSetup,
    include: ['test/browser/*.test.ts'],
    // A page of 9 MB takes its seconds on a small machine.
    testTimeout: 60_000,
    // Where several browsers share few cores, Chromium sometimes doesn't paint a page, and a click waits for a
    // frame that never comes. What is wrong with a page is wrong twice.
    fileParallelism: false,
    retry: 1,
  },
});
