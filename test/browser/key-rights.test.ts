import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { operation, tryOut } from './support/docs.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

const ALL = { scopes: null, origins: null, documentsOnly: false };
const SHOP = 'https://shop.example';

/** Has the service say this of every key. */
async function answerKey(page: Page, json: object, status = 200): Promise<void> {
  await page.route('**/key', (route) => route.fulfill({ status, json }));
}

async function giveKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(gateway.key);
}

const told = (page: Page) => page.locator('#api-key-status').innerText();

test.each([
  [{}, 'This key works.'],
  [{ scopes: ['read'] }, 'This key may read.'],
  [{ scopes: ['write', 'read'] }, 'This key may read and write.'],
  [{ scopes: ['read', 'prices'] }, 'This key may: read, prices.'],
  [{ scopes: ['write'] }, 'This key may: write.'],
  [{ scopes: [] }, 'This key may do nothing, because no scope was granted.'],
  [{ scopes: ['read'], documentsOnly: true }, 'This key may read, with trusted documents only.'],
  [
    { scopes: ['read'], origins: [SHOP, 'https://b.example'] },
    `This key may read, on pages of ${SHOP} or https://b.example only.`,
  ],
])('of a key with %j, pages say: %s', async (rights, sentence) => {
  const { page } = await open('/docs');
  await answerKey(page, { ...ALL, ...rights });
  await giveKey(page);
  await expect.poll(() => told(page)).toBe(sentence);
});

test('of a key for other origins, pages say which, and do not keep it', async () => {
  const { page, complaints } = await open('/docs');
  const message = `This API key only works on pages of ${SHOP}`;
  await answerKey(page, { code: 'FORBIDDEN', message }, 403);
  await giveKey(page);
  await expect.poll(() => told(page)).toBe(`${message}.`);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  complaints.splice(0);
});

test('beside a form, the page says which scope its operation needs and the key lacks', async () => {
  const { page } = await open('/docs');
  await page.route('**/docs', async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({
      response,
      body: body.replaceAll(/(data-path="[^"]*"\s+data-scopes=")[^"]*/g, '$1read prices'),
    });
  });
  await page.reload();
  await answerKey(page, { ...ALL, scopes: ['read'] });
  await tryOut(page, 'listPets');
  const lack = operation(page, 'listPets').locator('.without-scopes');
  expect(await lack.isVisible()).toBe(false);
  await giveKey(page);
  await expect.poll(() => lack.innerText()).toBe('Without the scope prices, the response is 403.');
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.reload();
  await tryOut(page, 'listPets');
  await lack.waitFor();
  await page.unroute('**/key');
  await answerKey(page, ALL);
  await page.getByLabel('API key').press('Enter');
  await lack.waitFor({ state: 'hidden' });
});

test('the landing page says why a key may not list the animals, in the place of the list', async () => {
  const { page, complaints } = await open('/');
  await answerKey(page, { ...ALL, scopes: ['write'] });
  const message = 'This request needs the scope read';
  await page.route('**/v1/pets?*', (route) =>
    route.fulfill({ status: 403, json: { code: 'FORBIDDEN', message } }),
  );
  await page.route('**/graphql', (route) =>
    route.fulfill({ status: 403, json: { errors: [{ message }] } }),
  );
  await giveKey(page);
  await page
    .getByText('The animals could not be listed: This request needs the scope read.')
    .waitFor();
  expect(await page.locator('#animals li').count()).toBe(0);
  expect(complaints.splice(0)).toHaveLength(2);
});
