import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: ['test/browser/*.test.ts'],
    // A page of 9 MB takes its seconds on a small machine.
    testTimeout: 60_000,
    // Where several browsers share few cores, one of them stops painting now and then, once in some hundred
    // pages, and a click waits for a frame that never comes. What is wrong with a page is wrong twice.
    fileParallelism: false,
    retry: 1,
  },
});
