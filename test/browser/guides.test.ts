import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { mountBelowPrefix } from './support/prefix.ts';
import { VIEWPORTS } from './support/viewports.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

// Tables and code are wider than a phone.
test.each(VIEWPORTS)('guides have no accessibility issues at $name', async (viewport) => {
  const { page } = await open('/guides', viewport);
  expect(await accessibilityIssues(page)).toEqual([]);
  for (const name of ['limits', 'graphql-client']) {
    await page.goto(`${gateway.url}/guides/${name}`);
    expect([name, await accessibilityIssues(page)]).toEqual([name, []]);
  }
});

test('a code in a table is not broken, however narrow the window is', async () => {
  const { page } = await open('/guides/errors', { viewport: { width: 390, height: 844 } });
  const broken = await page
    .locator('td:first-child code')
    .evaluateAll((all) =>
      all.filter((code) => code.getClientRects().length > 1).map((code) => code.textContent),
    );
  expect(broken).toEqual([]);
  expect(await page.locator('td:first-child code').count()).toBeGreaterThan(10);
});

test('links lead from any page to a section of a guide, also below a prefix', async () => {
  const { page } = await open('/');
  const prefix = await mountBelowPrefix(page, gateway.url);
  await page.goto(prefix);
  await page.getByRole('link', { name: 'Guides' }).first().click();
  await page.getByRole('link', { name: 'API guide' }).click();
  await page.waitForURL(`${prefix}guides/api`);
  await page.getByRole('link', { name: "error's code" }).click();
  await page.waitForURL(`${prefix}guides/errors#codes`);
  expect(await page.evaluate('document.querySelector(":target").textContent')).toBe('Codes');
  await page.getByRole('link', { name: 'GraphiQL' }).click();
  await page.waitForURL(`${prefix}graphql`);
});
