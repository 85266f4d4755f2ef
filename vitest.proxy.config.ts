import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

export default defineConfig({
  test: {
    ...base.test,
    include: ['test/proxy/*.test.ts'],
    // Four starts and four ends under load.
    testTimeout: 120_000,
  },
});
