import { expect, test } from 'vitest';
import { groupsOf } from '../../bench/citus/cells.ts';
import { LARGE_MACHINE, sizesFor } from '../../bench/citus/sizing.ts';
import { figuresTable } from '../../bench/citus/tables.ts';
import { benchSample } from '../support/bench-sample.ts';

const figures = { databaseCpu: 30, serverCpu: 60, workersCpu: 90 };
const samples = (['mixed', 'create'] as const).flatMap((work) => [
  benchSample('plain', 0, { work, databaseCpu: 10, requestsPerSecond: 4 }),
  benchSample('citus-2', 0, { work, ...figures }),
]);

test('a row has the figures of its cluster, and what they are of those of PostgreSQL', () => {
  expect(figuresTable(groupsOf(/rest\/create\/32/), samples)).toMatch(
    /^\| create +\| +32 \| citus-2 \| +1 \| +0\.25 × \|.*\| +60 \| +30 \| +3\.00 × \| +90 \| +0 \|$/m,
  );
});

test('cores are planned at 60 % of their time, and the coordinator has those of one machine', () => {
  const size = sizesFor(samples).find(({ server }) => server === 'citus-2');
  expect(size).toMatchObject({ gatewayCores: 100, coordinatorCores: 50, workerCores: 150 });
  expect(size?.atMost).toBeCloseTo((LARGE_MACHINE / 50) * 1_000_000);
});
