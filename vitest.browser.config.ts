import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: ['test/browser/*.test.ts'],
    // A page of 9 MB takes its seconds on a small machine that runs several browsers.
    testTimeout: 60_000,
  },
});
