import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../packages/gateway/src/config/config.ts';
import { ROOT } from '../support/documentation/newcomer.ts';

const ITEM = /^- \*\*`([A-Z_]+)`\*\*(?: \(`([^`]*)`\))?:/gm;

test('docs/configuration.md lists each setting, with its default', () => {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const told = new Map(
    Array.from(page.matchAll(ITEM), ([, variable = '', fallback = '']) => [variable, fallback]),
  );
  const settings = new Map(
    Array.from(SETTINGS.values(), ({ variable, fallback }) => [variable, fallback]),
  );
  expect(told).toEqual(settings);
});
