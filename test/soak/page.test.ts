import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from '../../soak/faults.ts';
import { PAGE, soakPage } from '../../soak/page.ts';
import { MACHINE } from '../support/bench-machine.ts';
import { formOf } from '../support/documentation/form.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

test('docs/results/soak.md is as npm run soak writes it', () => {
  const page = soakPage({
    machine: MACHINE,
    minutes: 60,
    rate: 300,
    isEmbedded: true,
    figures: Array.from({ length: 720 }, (_, index) => ({
      at: index * 5,
      requests: { good: 1000, unavailable: 10, unanswered: 1, wrong: 0 },
      p50: 1,
      p99: 10,
      slowest: 1000,
      rss: 100,
      eventLoopDelay: 20,
    })),
    recoveries: FAULTS.map(({ name }) => ({
      fault: name,
      at: 3,
      repaired: 4,
      refused: 5,
      recovery: 0,
    })),
    pets: 100_000,
    creates: { additions: 2, requests: 3, acknowledged: 2 },
    misfits: [],
    wrong: [],
  });
  expect(formOf(readFileSync(join(ROOT, PAGE), 'utf8'))).toBe(formOf(page));
});
