import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STEPS } from '../../packages/http/src/steps.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

test('docs/architecture.md lists the steps of a request', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, list = ''] = /^```text\n(.*?)^```$/ms.exec(page) ?? [];
  const told = Array.from(list.matchAll(/^(\w+) +(.+)$/gm), ([, name, text]) => [name, text]);
  expect(told).toEqual(Object.entries(STEPS));
});
