import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const trusting = await startGateway({ trustedDocumentsOnly: true });
const openTrusting = await startBrowser(trusting);

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

test('with trusted documents only, the animals are listed, and GraphQL says why it did not', async () => {
  await trusting.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const { page, complaints } = await openTrusting('/');
  await page.getByLabel('API key').fill(trusting.key);
  await page
    .getByText('The first animal, by id. GraphQL did not list them: its response says why.')
    .waitFor();
  expect(await page.locator('#animals li').allInnerTexts()).toEqual([
    'Rex\navailable\nid 1\ncategory 1',
  ]);
  expect(await page.getByRole('region', { name: 'GraphQL response' }).innerText()).toContain(
    'DOCUMENT_NOT_TRUSTED',
  );
  complaints.splice(0);
});

test('an empty store says how to add animals, by a command that the keyboard copies', async () => {
  const { page } = await open('/', CLIPBOARD);
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('The store has no animals yet. Add an animal, or many:').waitFor();
  expect(await accessibilityIssues(page)).toEqual([]);
  const copy = page.locator('#count').getByRole('button');
  await copy.press('Enter');
  await expect.poll(() => copy.innerText()).toBe('Copied');
  expect(await copy.getAttribute('aria-live')).toBe('polite');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'npm run --silent seed -- 100',
  );
});

test('a response is copied as it is shown, and scrolls by the keyboard', async () => {
  for (let id = 0; id < 20; id += 1) {
    await gateway.post('/v1/pets', { name: `Animal ${id}`, categoryId: 1, status: 'sold' });
  }
  const { page } = await open('/', CLIPBOARD);
  await page.getByLabel('Limit').selectOption('20');
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('The first 20 animals, by id.').waitFor();
  const response = page.getByRole('region', { name: 'REST response' });
  await response.press('End');
  await expect.poll(() => response.evaluate((panel) => panel.scrollTop)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Copy the REST response' }).press('Enter');
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toBe(await response.innerText());
});
