import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** All that axe finds on a page: rule and place. */
export async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze();
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
}
