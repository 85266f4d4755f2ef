import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { VIEWPORTS } from './support/viewports.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
for (const name of ['Rex', 'ليلى', 'x'.repeat(255)]) {
  await gateway.post('/v1/pets', `{ "name": "${name}", "categoryId": 9223372036854775807 }`);
}

test.each(VIEWPORTS)(
  '/ has no accessibility issues at $name, without a key and with the answers',
  async (viewport) => {
    const { page } = await open('/', viewport);
    await page.getByLabel('API key').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.getByLabel('API key').fill(gateway.key);
    await page.getByText('The first 3 animals').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

test.each(VIEWPORTS)(
  'a page that is not there has no accessibility issues at $name',
  async (viewport) => {
    const { page, complaints } = await open('/nowhere/at/all', viewport);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

test('an outline that is transparent is an accessibility issue', async () => {
  const { page } = await open('/');
  await page.evaluate(`document.querySelector('.brand').style.opacity = 0`);
  expect(await accessibilityIssues(page)).toEqual([
    expect.stringMatching(/^focus not seen: \d+ <a> Animal Store Gateway$/),
  ]);
});

test('with forced colours, what is chosen is seen', async () => {
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
  // Forced colours would show them as selected text.
  expect(await page.evaluate('CSS.highlights.size')).toBe(0);
});
