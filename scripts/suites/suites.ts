/** A suite of tests, in its complete form and in the one that every change must pass. */
export interface Suite {
  readonly name: string;
  /**
   * Suites of one lane run one after another, and the first two lanes run side by side. Chromium drops its requests whenever a
   * network interface appears or disappears, so the browser shares a lane with the suites that create interfaces. Suites that
   * assert how long something takes run alone.
   */
  readonly lane: 'network' | 'other' | 'alone';
  /** Scripts of package.json that install what the suite needs besides `npm ci`. */
  readonly installs?: 'install:clients' | 'install:release';
  /** The shell command of the complete form. */
  readonly complete: string;
  /** The shell command of the short form. Without one, a change can land without the suite. */
  readonly short?: string;
}

const run = (project: string, ...args: readonly string[]) =>
  `vitest run --project ${project}${args.map((arg) => ` ${arg}`).join('')}`;
const files = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `test/${folder}/${name}.test.ts`).join(' ');

const FUZZ = 'npm run --silent fuzz --';
const ISOLATION = 'npm run --silent isolation -- --seconds 6';
const SHORT_ATTACKS = [
  'sends compressed bodies',
  '2,000 connections send heads slowly',
  '64 connections request 1,100 pages each',
  'key lists animals on 64 connections$',
  'key creates animals on 64 connections$',
  'is over its rate limit',
  'documents that are rejected',
].join('|');

/**
 * All suites, in the order in which they start. `npm test` is only in the complete list, because `.ci/run` ends with it.
 */
export const SUITES: readonly Suite[] = [
  { name: 'npm test', lane: 'other', complete: 'npm test' },
  { name: 'processes', lane: 'other', complete: run('processes'), short: run('processes') },
  {
    name: 'browser',
    lane: 'network',
    complete: run('browser'),
    short: run('browser', files('browser', 'accessibility', 'docs', 'landing', 'playground')),
  },
  {
    name: 'clients',
    lane: 'other',
    installs: 'install:clients',
    complete: `npm run check:clients && ${run('clients')}`,
    short: `npm run check:clients && ${run('clients', files('clients', 'graphql', 'rest'), files('examples', 'examples'))}`,
  },
  {
    name: 'docs',
    lane: 'other',
    installs: 'install:clients',
    complete: run('long', 'test/docs'),
    short: run('long', 'test/docs', "-t 'of docs/(tutorial|retries|access).md'"),
  },
  {
    name: 'owner',
    lane: 'other',
    installs: 'install:clients',
    complete: run('long', 'test/owner'),
  },
  { name: 'properties', lane: 'other', complete: run('properties') },
  {
    name: 'tools',
    lane: 'other',
    complete: run('long', 'test/bench', 'test/soak'),
    short: run('long', 'test/bench', files('soak', 'outcome', 'recovery', 'report')),
  },
  {
    name: 'cluster',
    lane: 'network',
    complete: run('cluster'),
    short: run('cluster', files('cluster', 'failover'), "-t 'PostgreSQL is killed'"),
  },
  {
    name: 'citus',
    lane: 'other',
    complete: `ROUNDS=1 ${run('citus')}`,
    // Neither Debian nor npm has Citus.
    short: ifCitus(run('citus', files('citus', 'works', 'reads', 'violations'))),
  },
  {
    name: 'container',
    lane: 'network',
    complete: run('container'),
    short: run('container', files('container', 'container')),
  },
  {
    name: 'installed',
    // In this lane, because both lanes then take about as long.
    lane: 'network',
    installs: 'install:release',
    complete: run('installed'),
    short: run(
      'installed',
      files('installed', 'create', 'tarballs'),
      "-t 'the Node.js and npm that run the tests|tarball'",
    ),
  },
  {
    name: 'system',
    lane: 'other',
    complete: run('system'),
    short: run('system', files('system', 'full-disk', 'prefix', 'rolling-restart')),
  },
  {
    name: 'faults',
    lane: 'alone',
    complete: run('long', 'test/faults'),
    short: run('long', files('faults', 'failover', 'outage')),
  },
  {
    name: 'attacks',
    lane: 'alone',
    complete: `${run('long', 'test/isolation')} && ${ISOLATION}`,
    // One of each kind: all of them take eight minutes.
    short: `${ISOLATION} --only '${SHORT_ATTACKS}'`,
  },
  {
    name: 'fuzz',
    lane: 'alone',
    complete: `${run('long', 'test/fuzz')} && ${FUZZ} --exchanges 6000`,
    short: `${FUZZ} --exchanges 1000`,
  },
  {
    name: 'memory',
    lane: 'alone',
    complete: run('long', 'test/load'),
    short: run('long', files('load', 'memory'), "-t 'documents rejected'"),
  },
  {
    name: 'timing',
    lane: 'alone',
    complete: run('long', 'test/timing'),
    short: run('long', 'test/timing'),
  },
  { name: 'soak', lane: 'alone', complete: 'npm run --silent soak -- --minutes 10' },
  {
    name: 'benchmark',
    lane: 'alone',
    // Names all cells, so that docs/results stays as it is.
    complete:
      "npm run --silent bench -- --only '^ours|^fastify|^mercurius|^express|^start|^growth'",
    short: 'npm run --silent bench -- --quick',
  },
];

/** @returns the command or, if Citus is neither installed nor in CITUS_ARCHIVE, one that only prints this */
function ifCitus(command: string): string {
  const found = '[ -n "$CITUS_ARCHIVE" ] || [ -e /usr/lib/postgresql/15/lib/citus.so ]';
  return `if ${found}; then ${command}; else echo "no Citus: set CITUS_ARCHIVE"; fi`;
}
