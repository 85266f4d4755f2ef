import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { FolderReporter } from './test/support/folder-reporter.ts';

/** Where Node keeps what it has compiled of programs that tests start many times. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, 'node_modules/.cache/tests');
/** Ends what an interrupted run leaves behind. */
const GUARD = 'test/support/run-guard.ts';

const shared = {
  // Node runs the tests as it runs the service: TypeScript as it is, nothing transformed.
  experimental: { viteModuleRunner: false },
  globalSetup: [GUARD, 'test/support/postgres-setup.ts'],
  setupFiles: 'test/support/setup.ts',
  // Long enough for any machine: what is waited for comes, or the test fails.
  expect: { poll: { timeout: 20_000, interval: 10 } },
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const;

/** Folders of tests that `npm test` leaves out: they measure time or memory, load the machine, or need more than Node. */
const LONG = ['bench', 'docs', 'faults', 'fuzz', 'isolation', 'load', 'owner', 'soak', 'timing'];
/** Tests of properties (fast-check): quick with few runs, long with many more. */
const PROPERTIES = [
  'test/access/{api-key,encoded-keys}.test.ts',
  'test/contract/{any-input,properties}.test.ts',
  'test/database/scalars.test.ts',
  'packages/data/test/same-{pages,writes}.test.ts',
  'packages/graphql/test/compiled-property.test.ts',
  'test/execution/{compiled-execution-property,linearizable-reads,written-rows-property}.test.ts',
  'test/lists/library-lists.test.ts',
  'test/plugins/own-answers-property.test.ts',
  'test/visible-rows/visible-rows.test.ts',
];
/**
 * Tests of what the service does as several processes or from changed sources, in which order it ends, and what it exports:
 * they take half as much of a machine as all others, most of it for starts.
 */
const PROCESSES = [
  'test/workers/*.test.ts',
  'test/replicas/workers.test.ts',
  'test/stores/service.test.ts',
  'test/project/container.test.ts',
  'packages/http/test/workers/*.test.ts',
  'packages/local/test/embedded/join.test.ts',
  'test/observability/{telemetry,tracing-variables,unexpected-errors}.test.ts',
  'test/start-stop/{bundle,database-stops-too,embedded-links,greeting,hung-reader,second-signal}.test.ts',
  'test/commands/{backup,embedded-postgres}.test.ts',
];
const BROWSER = 'browser';
/** What they need is installed apart: `npm run install:clients`. */
const CLIENTS = ['clients', 'examples'];
const CONTAINER = 'container';
const SYSTEM = 'system';
const CLUSTER = 'cluster';
const CITUS = 'citus';
/** Tests of what a store keeps to on distributed tables as well. */
const SHARDED = [
  'packages/data/test/*.test.ts',
  // On distributed tables, each change is a transaction of its own.
  'test/changes/!(library|overtaken).test.ts',
  // Nothing refers to a distributed table.
  'test/rest/!(nested-create|relations).test.ts',
  'test/lists/pages.test.ts',
  'test/contract/{exact-numbers,parity}.test.ts',
  'test/audit/audit-log.test.ts',
  'test/execution/{coalesced-answers,hidden-rows,linearizable-reads,written-rows-property}.test.ts',
  // The version before knows no Citus, and the library's books have authors.
  'test/idempotency/!(version-before|first-responses).test.ts',
];
/** What strangers install: packed, and outside this repository. */
const INSTALLED = 'installed';

const filesOf = (folders: readonly string[]) => folders.map((folder) => `test/${folder}/*.test.ts`);

/** Tests that would measure each other if two files ran at once. */
function alone(
  name: string,
  groupOrder: number,
  include: readonly string[],
  testTimeout: number,
  others: { globalSetup?: string[]; setupFiles?: string[]; isolate?: boolean } = {},
): TestProjectConfiguration {
  return {
    test: {
      ...shared,
      globalSetup: [...shared.globalSetup],
      ...others,
      name,
      include: [...include],
      fileParallelism: false,
      testTimeout,
      sequence: { groupOrder },
      env: name === CITUS ? {} : { LONG_PROPERTIES: 'on' },
    },
  };
}

export default defineConfig({
  test: {
    reporters: [new FolderReporter()],
    // What a test prints is shown if it fails.
    silent: 'passed-only',
    projects: [
      {
        test: {
          ...shared,
          globalSetup: [...shared.globalSetup],
          // The files of a worker share its modules: to load them takes longer than to run most files.
          isolate: false,
          maxWorkers: availableParallelism(),
          name: 'quick',
          include: ['test/*/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [
            ...[...LONG, BROWSER, ...CLIENTS, CONTAINER, SYSTEM, CLUSTER, CITUS, INSTALLED].map(
              (folder) => `test/${folder}/**`,
            ),
            ...PROCESSES,
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          globalSetup: [...shared.globalSetup],
          isolate: false,
          // Most of the time they wait for processes: one more worker in two uses what they leave.
          maxWorkers: Math.ceil(1.5 * availableParallelism()),
          env: { NODE_COMPILE_CACHE },
          name: 'processes',
          include: PROCESSES,
          sequence: { groupOrder: 10 },
        },
      },
      alone('long', 1, filesOf(LONG), 120_000),
      alone('properties', 2, PROPERTIES, 600_000),
      // GraphiQL's page is 9 MB, which takes a small machine some seconds.
      alone('browser', 3, filesOf([BROWSER]), 60_000),
      // Generators and compilers of clients take half a minute on a small machine.
      alone('clients', 5, filesOf(CLIENTS), 180_000),
      // A rolling restart is four starts and four stops under load.
      alone('system', 4, filesOf([SYSTEM]), 120_000),
      // Builds an image first.
      alone(CONTAINER, 6, filesOf([CONTAINER]), 120_000),
      // A failover takes some 10 s, and so does the return of the old primary.
      alone(CLUSTER, 7, filesOf([CLUSTER]), 300_000),
      // An installation takes half a minute, and a slow network longer.
      alone(INSTALLED, 8, filesOf([INSTALLED]), 900_000, {
        globalSetup: [GUARD, 'test/installed/support/setup.ts'],
      }),
      alone(CITUS, 9, [...filesOf([CITUS]), ...SHARDED], 60_000, {
        globalSetup: [GUARD, 'test/citus/support/setup.ts'],
        setupFiles: ['test/citus/support/drop-databases.ts', shared.setupFiles],
        isolate: false,
      }),
    ],
  },
});
