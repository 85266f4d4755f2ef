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

test.each([
  ['/guides/errors', 'td:first-child code'],
  ['/docs#/schemas/ErrorCode', '.meanings tbody th code'],
])('the codes in tables of %s stay on one line in a narrow window', async (path, codes) => {
  const { page } = await open(path, { viewport: { width: 390, height: 844 } });
  // A first letter may be a box of its own.
  const broken = await page.locator(codes).evaluateAll((all) =>
    all
      .filter((code) => {
        const lines = Array.from(code.getClientRects(), ({ bottom }) => Math.round(bottom));
        return new Set(lines).size > 1;
      })
      .map((code) => code.textContent),
  );
  expect(broken).toEqual([]);
  expect(await page.locator(codes).count()).toBeGreaterThan(10);
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
