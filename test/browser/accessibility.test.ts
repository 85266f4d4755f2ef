import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { typeKey } from './support/playground.ts';
import { VIEWPORTS } from './support/viewports.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
for (const name of ['Rex', 'ليلى', 'x'.repeat(255)]) {
  await gateway.post('/v1/pets', `{ "name": "${name}", "categoryId": 9223372036854775807 }`);
}

test.each(VIEWPORTS)(
  'the landing page, the guides and the 404 page have no accessibility issues at $name',
  async (viewport) => {
    const { page, complaints } = await open('/', viewport);
    await page.getByLabel('API key').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await typeKey(page, gateway.key);
    await page.getByText('The first 3 animals').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    // Tables and code blocks in guides are wider than a phone.
    for (const path of ['guides', 'guides/limits', 'guides/graphql-client', 'nowhere/at/all']) {
      await page.goto(`${gateway.url}/${path}`);
      expect([path, await accessibilityIssues(page)]).toEqual([path, []]);
    }
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  },
);

test('a transparent focus outline is reported as an accessibility issue', async () => {
  const { page } = await open('/');
  await page.evaluate(`document.querySelector('.brand').style.opacity = 0`);
  expect(await accessibilityIssues(page)).toEqual([
    expect.stringMatching(/^focus not visible: \d+ <a> Animal Store Gateway$/),
  ]);
});

test('with forced colours, the selected language and a pressed button are visible', async () => {
  const { page } = await open('/docs', { forcedColors: 'active' });
  const background = (selector: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('${selector}')).backgroundColor`,
    );
  expect(await background('.samples label:has(:checked)')).not.toBe(
    await background('.samples label:not(:has(:checked))'),
  );
  await page.getByLabel('API key').fill('asg_');
  await page.getByRole('button', { name: 'Show' }).click();
  expect(await background('[name=show]')).not.toBe(await background('[name=paste]'));
  // Forced colours would show highlights as selected text.
  expect(await page.evaluate('CSS.highlights.size')).toBe(0);
});

test.each([
  ['/guides/errors', 'td:first-child code'],
  ['/docs#/schemas/ErrorCode', '.meanings tbody th code'],
])('in a narrow window, the codes in the tables of %s do not wrap', async (path, codes) => {
  const { page } = await open(path, { viewport: { width: 390, height: 844 } });
  // A first letter may have a separate box.
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

test('links lead from any page to a section of a guide, even below a path prefix', async () => {
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
