import { afterAll, expect, inject, test } from 'vitest';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { createDatabase, TEMPLATE } from './support/database.ts';
import { GOOD, startLoad } from './support/load.ts';
import { environmentOf, type Mutation } from './support/mutation.ts';
import { startOutagePostgres } from './support/outage-postgres.ts';
import { firstKey, startService } from './support/service.ts';

/** How the service could do things twice. */
const TWICE: readonly (Mutation & { readonly what: string })[] = [
  {
    what: 'sends a statement again whose outcome it does not know',
    file: 'src/database/pets/insert.ts',
    text: 'calls.length === 1 || !isFaultOfStatement(error)',
    replacement: 'calls.length === 0',
  },
  {
    what: 'does not mind what an addition is named',
    file: 'src/schema/pet.ts',
    text: 'addOnce(data, addition, context)',
    replacement: 'context.database.pet.create({ data })',
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
    inserts += statement.startsWith('insert-pets') ? 1 : 0;
    return inserts % 4 === 3 ? { answer: 0 } : {};
  });
  await load.allAnswered(GOOD);
  proxy.cutBy(() => ({}));
  await load.end();
  const faults = await load.faultsIn(databaseUrl);
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.filter((fault) => !/is there as \[\d+(?:,\d+)+\]$/.test(fault))).toEqual([]);
});

const postgres = await startOutagePostgres();
afterAll(() => postgres[Symbol.asyncDispose]());

test('a service that acknowledges before what it has done is on the disk is found out', async () => {
  const databaseUrl = await createDatabase(postgres.url);
  await using service = await startService({
    DATABASE_URL: databaseUrl,
    ...environmentOf({
      file: 'src/database/pool.ts',
      text: '-c plan_cache_mode',
      replacement: '-c synchronous_commit=off -c plan_cache_mode',
    }),
  });
  const key = await firstKey(service);
  const lost: string[] = [];
  // PostgreSQL writes its log every now and then: perhaps just before it is killed.
  while (lost.length === 0) {
    await using load = startLoad(service.url, key);
    await load.allAnswered(GOOD);
    await postgres.crash();
    await load.answered(503);
    await postgres.start();
    await load.end();
    const faults = await load.faultsIn(databaseUrl);
    lost.push(...faults.filter((fault) => /answered with \[\d+\], is there as \[\]$/.test(fault)));
  }
  expect(lost.length).toBeGreaterThan(0);
});
