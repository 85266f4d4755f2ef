import { expect, test } from 'vitest';
import { capacityTable, costsTable, SERVER } from '../../bench/capacity/tables.ts';
import { benchSample } from '../support/bench-sample.ts';

const samples = [10, 60, 20].map((serverCpu, round) =>
  benchSample(SERVER, round, { serverCpu, databaseCpu: 6, answerBytes: 1000 }),
);

test('a row of costs has the medians of its cell', () => {
  expect(costsTable(samples)).toMatch(
    /^\| rest +\| hot +\| +32 \| +1 \| +20 \| +1 \| +6 \| +1,000 \|$/m,
  );
});

test('cores are planned at 60 % of their time, and bits are eight a byte', () => {
  expect(capacityTable(samples)).toMatch(
    /^\| rest +\| hot +\| 1,000,000 \| +33\.3 \| +10\.0 \| +8\.00 \|$/m,
  );
});
