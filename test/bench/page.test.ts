import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOfReport } from '../../bench/budget.ts';
import { competitors } from '../../bench/competitors.ts';
import { groupsOf, OURS } from '../../bench/plan.ts';
import { benchmarkPage, PAGE } from '../../bench/report/benchmark-page.ts';
import { MACHINE } from '../support/bench-machine.ts';
import { benchSample } from '../support/bench-sample.ts';
import { formOf } from '../support/documentation/form.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

test('docs/results/benchmark.md is as npm run bench writes it', () => {
  const cells = groupsOf(competitors).flat().filter(isOfReport);
  const page = benchmarkPage({
    whole: true,
    machine: MACHINE,
    rounds: 5,
    seconds: 2,
    speed: { requestsPerSecond: 70_000, loopsPerSecond: 75 },
    off: ['ours/rest/hot/32'],
    samples: cells.map(({ server, ...cell }) => benchSample(server, 0, cell)),
    starts: [{ round: 0, program: 'ours', cpu: 0.2, wall: 0.3 }],
    idle: { [OURS]: 90, 'express-prisma': 100 },
  });
  expect(formOf(readFileSync(join(ROOT, PAGE), 'utf8'))).toBe(formOf(page));
});
