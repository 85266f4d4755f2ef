import { afterAll, expect, inject, test } from 'vitest';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { startLoad } from '../support/load.ts';
import type { Mutation } from '../support/changed-sources.ts';
import { environmentOf } from '../support/mutation.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { firstKey, startService } from '../support/service.ts';

/** How the service could do things twice. */
const TWICE: readonly (Mutation & { readonly what: string })[] = [
  {
    what: 'sends a statement again whose outcome it does not know',
    file: 'packages/data/src/batched-models.ts',
    text: 'if (!mayFallBack) {',
    replacement: 'if (mayFallBack === undefined) {',
  },
  {
    what: 'does not mind what an addition is named',
    file: 'src/schema/idempotency.ts',
    text: 'if (key === undefined) {',
    replacement: 'if (key !== null) {',
  },
];

test.each(TWICE)('a service that $what is found out', async (mutation) => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using proxy = await startCuttingProxy(databaseUrl);
  await using service = await startService({
    DATABASE_URL: proxy.url,
    ...environmentOf(mutation),
  });
  await using load = startLoad(service.url, await firstKey(service));
  let inserts = 0;
  proxy.cutBy(({ statement }) => {
    inserts += statement.startsWith('Pet.createAll') ? 1 : 0;
    return inserts % 4 === 3 ? { answer: 0 } : {};
  });
  await load.allAnswered(SUCCESS_STATUSES);
  proxy.cutBy(() => ({}));
  await load.end();
  const faults = await load.faultsIn(databaseUrl);
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.filter((fault) => !/is there as \[\d+(?:,\d+)+\]$/.test(fault))).toEqual([]);
});

/** As often as PostgreSQL may write its log just before it is killed. */
const CRASHES = 5;

const HANDLERS = 'packages/data/src/call-handlers.ts';

/** How the service could tell what is not so. */
const UNTRUE: readonly (Mutation & { readonly what: string; readonly fault: RegExp })[] = [
  {
    what: 'whose lists are empty now and then',
    file: HANDLERS,
    text: 'await table.findPages([page])',
    // By a count: there are some 48 statements for pages, all of which chance may spare.
    replacement:
      '(globalThis.pages = (globalThis.pages ?? 0) + 1) % 10 === 0 ? [] : await table.findPages([page])',
    fault: /^GET \S+ told of \[\] without \d/,
  },
  {
    what: 'whose lists are as they once were',
    file: HANDLERS,
    text: 'await table.findPages([page])',
    replacement: 'await (globalThis.page ??= table.findPages([page]))',
    fault: /^GET \S+ told of \[[\d,]*\] without \d/,
  },
  {
    what: 'that answers one with what another has added',
    file: 'packages/data/src/write.ts',
    text: 'rows[index];',
    replacement: 'rows[rows.length - 1 - index];',
    fault: /^POST \S+ of \S+ told of \[\d+ .+\]$|is there as \[\d+\]$/,
  },
  {
    what: 'that does not keep all that it is sent',
    file: 'packages/data/src/write-statements.ts',
    text: '(column, index) => places.valueAt(index, column)',
    replacement:
      "(column, index) => column.column === 'status' ? `'sold'` : places.valueAt(index, column)",
    fault: /^nobody sent .+, sold$/,
  },
];

test.each(UNTRUE)('a service $what is found out', async ({ fault, ...mutation }) => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startService({
    DATABASE_URL: databaseUrl,
    ...environmentOf(mutation),
  });
  await using load = startLoad(service.url, await firstKey(service));
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  const faults = await load.faultsIn(databaseUrl);
  expect(faults).toContainEqual(expect.stringMatching(fault));
  expect(faults.filter((text) => !fault.test(text))).toEqual([]);
});

const postgres = await startOutagePostgres();
afterAll(() => postgres[Symbol.asyncDispose]());

test('a service that acknowledges before what it has done is on the disk is found out', async () => {
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
