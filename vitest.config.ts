import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

const shared = {
  // Node runs the tests as it runs the service: TypeScript as it is, nothing transformed.
  experimental: { viteModuleRunner: false },
  globalSetup: 'test/support/postgres-setup.ts',
  setupFiles: 'test/support/setup.ts',
  testTimeout: 30_000,
  hookTimeout: 60_000,
} as const;

/** Folders of tests that `npm test` leaves out: they measure time or memory, load the machine, or need more than Node. */
const LONG = ['bench', 'docs', 'faults', 'fuzz', 'load', 'soak', 'timing'];
const BROWSER = 'browser';
const SYSTEM = 'system';

/** Tests that would measure each other if two files ran at once. */
function alone(
  name: string,
  groupOrder: number,
  folders: readonly string[],
  testTimeout: number,
): TestProjectConfiguration {
  return {
    test: {
      ...shared,
      name,
      include: folders.map((folder) => `test/${folder}/*.test.ts`),
      fileParallelism: false,
      testTimeout,
      sequence: { groupOrder },
    },
  };
}

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'quick',
          include: ['test/*/*.test.ts'],
          exclude: [...LONG, BROWSER, SYSTEM].map((folder) => `test/${folder}/**`),
          // The files of a worker share its modules: to load them takes longer than to run most files.
          isolate: false,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      alone('long', 1, LONG, 60_000),
      // GraphiQL's page is 9 MB, which takes a small machine some seconds.
      alone('browser', 2, [BROWSER], 60_000),
      // A rolling restart is four starts and four stops under load.
      alone('system', 3, [SYSTEM], 120_000),
    ],
  },
});
