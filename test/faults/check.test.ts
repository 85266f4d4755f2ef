import { expect, test } from 'vitest';
import { keptForFile } from '../support/clean-up.ts';
import { startCuttingProxy } from '../support/database-proxy.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { createDatabase } from '../support/database.ts';
import { newDatabase } from '../support/new-database.ts';
import { startLoad } from '../support/load.ts';
import { environmentOf, type Mutation } from '../support/changed-sources.ts';
import { startOutagePostgres } from '../support/embedded-postgres.ts';
import { firstKey, startService } from '../support/service.ts';

/** Ways to break the service, and the faults that the load must then find. */
const WRONG: readonly (Mutation & {
  readonly what: string;
  readonly fault: RegExp;
  /** Whether the database's responses to creates are lost. */
  readonly isCut?: true;
})[] = [
  {
    what: 'repeats a statement whose outcome is unknown',
    file: 'packages/data/src/batched-models.ts',
    text: 'if (!mayFallBack) {',
    replacement: 'if (mayFallBack === undefined) {',
    fault: /is there as \[\d+(?:,\d+)+\]$/,
    isCut: true,
  },
  {
    what: 'sometimes returns an empty list',
    file: 'packages/data/src/call-handlers.ts',
    text: 'await table.findPages([page])',
    // Every tenth page. There are only about 48 page statements, so a random choice might miss all of them.
    replacement:
      '(globalThis.pages = (globalThis.pages ?? 0) + 1) % 10 === 0 ? [] : await table.findPages([page])',
    fault: /^GET \S+ told of \[\] without \d/,
  },
  {
    what: "answers a request with a different request's animal",
    file: 'packages/data/src/write.ts',
    text: 'rows[index];',
    replacement: 'rows[rows.length - 1 - index];',
    fault: /^POST \S+ of \S+ told of \[\d+ .+\]$|is there as \[\d+\]$/,
  },
  {
    what: 'stores a different value than it was sent',
    file: 'packages/data/src/write-statements.ts',
    text: '(column, index) => places.valueAt(index, column)',
    replacement:
      "(column, index) => column.column === 'status' ? `'sold'` : places.valueAt(index, column)",
    fault: /^nobody sent .+, sold$/,
  },
];

test.each(WRONG)(
  'the load test detects a service that $what',
  async ({ fault, isCut, ...mutation }) => {
    const databaseUrl = await newDatabase();
    await using proxy = await startCuttingProxy(databaseUrl);
    await using service = await startService({
      DATABASE_URL: proxy.url,
      ...environmentOf(mutation),
    });
    await using load = startLoad(service.url, await firstKey(service));
    let inserts = 0;
    proxy.cutBy(({ statement }) => {
      inserts += isCut && statement.startsWith('Pet.createAll') ? 1 : 0;
      return inserts % 4 === 3 ? { answer: 0 } : {};
    });
    await load.allAnswered(SUCCESS_STATUSES);
    proxy.cutBy(() => ({}));
    await load.end();
    const faults = await load.faultsIn(databaseUrl);
    expect(faults).toContainEqual(expect.stringMatching(fault));
    expect(faults.filter((text) => !fault.test(text))).toEqual([]);
  },
);

/** Maximum number of crashes: PostgreSQL may flush its log just before one, but hardly before all of them. */
const CRASHES = 5;

const postgres = keptForFile(await startOutagePostgres());

test('the load test detects a service that acknowledges a write before its commit is on disk', async () => {
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({
    DATABASE_URL: databaseUrl,
    ...environmentOf({
      file: 'packages/postgres/src/connection-options.ts',
      text: '-c plan_cache_mode',
      replacement: '-c synchronous_commit=off -c plan_cache_mode',
    }),
  });
  const key = await firstKey(service);
  const lost: string[] = [];
  for (let crash = 0; crash < CRASHES && lost.length === 0; crash += 1) {
    await using load = startLoad(service.url, key);
    await load.allAnswered(SUCCESS_STATUSES);
    await postgres.crash();
    await load.answered(503);
    await postgres.start();
    await load.end();
    const faults = await load.faultsIn(databaseUrl);
    lost.push(...faults.filter((fault) => /answered with \[\d+\], is there as \[\]$/.test(fault)));
  }
  expect(lost.length).toBeGreaterThan(0);
});
