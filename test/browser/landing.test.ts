import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { generateApiKey } from '../support/store-database.ts';
import { mountBelowPrefix } from './support/prefix.ts';
import { startBrowser } from './support/browser.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.database.$executeRaw`
  INSERT INTO pets VALUES (${BigInt(LARGEST)}, '<i>Last</i>', ${BigInt(LARGEST)}, 'sold')`;
await gateway.post('/v1/pets', { name: 'First', categoryId: 1 });

const empty = await startGateway();
const openEmpty = await startBrowser(empty);
const trusting = await startGateway({ trustedDocumentsOnly: true });
const openTrusting = await startBrowser(trusting);
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

const animals = (page: Page) => page.locator('#animals li').allInnerTexts();
const answer = (page: Page, surface: string) =>
  page.getByRole('region', { name: `${surface} response` }).innerText();

async function giveKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText(/^The first /).waitFor();
}

test('with a key, the landing page lists the first animals from both APIs with all digits', async () => {
  const { page } = await open('/');
  expect(await animals(page)).toEqual([]);
  await giveKey(page);
  expect(await animals(page)).toEqual([
    'First\navailable\nid 1\ncategory 1',
    `<i>Last</i>\nsold\nid ${LARGEST}\ncategory ${LARGEST}`,
  ]);
  expect(await answer(page, 'REST')).toContain(
    `{\n    "id": ${LARGEST},\n    "name": "<i>Last</i>",\n    "categoryId": ${LARGEST},\n    "status": "sold"\n  }`,
  );
  expect(await answer(page, 'GraphQL')).toContain(`"id": "${LARGEST}"`);
});

test('Next page lists the animals after the last one shown, and Refresh returns to the first page', async () => {
  const many = await startGateway();
  for (let number = 1; number <= 9; number += 1) {
    await many.post('/v1/pets', { name: `Animal ${number}`, categoryId: 1 });
  }
  const { page } = await open('/');
  await page.route(`${gateway.url}/**`, async (route) => {
    const address = route.request().url().replace(gateway.url, many.url);
    await route.fulfill({ response: await route.fetch({ url: address }) });
  });
  await page.reload();
  await page.getByLabel('API key').fill(many.key);
  const next = page.getByRole('button', { name: 'Next page' });
  const names = async () =>
    (await animals(page)).map((card) => card.split('\n')[0]?.replace('Animal ', ''));
  await expect.poll(names).toEqual(['1', '2', '3', '4']);
  await next.click();
  await expect.poll(names).toEqual(['5', '6', '7', '8']);
  expect(await page.locator('#count').innerText()).toBe('The next 4 animals, by id.');
  expect(await page.locator('#rest .request').innerText()).toContain('after=4');
  expect(await page.locator('#graphql .request').innerText()).toContain('after: 4');
  await next.click();
  await expect.poll(names).toEqual(['9']);
  expect(await next.getAttribute('aria-disabled')).toBe('true');
  expect(await page.locator('button:focus').innerText()).toBe('Next page');
  await next.press('Enter');
  expect(await names()).toEqual(['9']);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect.poll(names).toEqual(['1', '2', '3', '4']);
});

test('the first animals are listed even if the key is checked before the script is loaded', async () => {
  const { page } = await open('/');
  await giveKey(page);
  await page.route('**/animals.js', async (route) => {
    await page.getByText('This key works.').waitFor();
    await route.continue();
  });
  await page.reload();
  await page.getByText(/^The first /).waitFor();
  expect(await animals(page)).toHaveLength(2);
});

test('the landing page sends the chosen filter to both APIs and shows the requests', async () => {
  const { page, requests } = await open('/');
  await giveKey(page);
  await page.getByLabel('Status').selectOption('sold');
  await page.getByText('The first animal, by id.').waitFor();
  expect(await animals(page)).toEqual([expect.stringContaining('Last')]);
  expect(requests.slice(-2)).toEqual([
    `GET ${gateway.url}/v1/pets?limit=4&status=sold`,
    `POST ${gateway.url}/graphql`,
  ]);
  await page.getByText('GET /v1/pets?limit=4&status=sold').waitFor();
  await page.getByText('{ pets(limit: 4, status: sold) { id name categoryId status } }').waitFor();
  await page.getByLabel('Status').selectOption('pending');
  await page.getByText('No animal is pending.').waitFor();
  expect(await animals(page)).toEqual([]);
});

test('Refresh lists the animals again, and Forget removes them from the landing page', async () => {
  const { page } = await open('/');
  await giveKey(page);
  await gateway.post('/v1/pets', { name: 'Added', categoryId: 1, status: 'pending' });
  await page.getByRole('button', { name: 'Refresh' }).press('Enter');
  await page.getByText('The first 3 animals').waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByText('Enter a key above to list the animals here.').waitFor();
  expect(await animals(page)).toEqual([]);
  expect(await page.locator('.answer').allTextContents()).toEqual(['', '']);
});

test('an error from one API is shown beside the list from the other API', async () => {
  const { page, complaints } = await open('/');
  await page.route('**/graphql', (route) =>
    route.fulfill({ status: 503, body: '{"errors":[{"message":"Away"}]}' }),
  );
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('GraphQL did not list them: its response says why.').waitFor();
  expect(await answer(page, 'GraphQL')).toContain('"message": "Away"');
  expect(await animals(page)).toContain(`<i>Last</i>\nsold\nid ${LARGEST}\ncategory ${LARGEST}`);
  complaints.splice(0);
});

test('the landing page removes the listed animals when a proxy returns an error', async () => {
  const { page, complaints } = await open('/');
  await giveKey(page);
  await page.route(/graphql|v1/, (route) => route.fulfill({ status: 502, body: '<h1>Bad</h1>' }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The animals could not be listed').waitFor();
  expect(await animals(page)).toEqual([]);
  expect(await answer(page, 'GraphQL')).toBe('<h1>Bad</h1>');
  complaints.splice(0);
});

test('a rejected API key is reported beside each request', async () => {
  const { page, complaints } = await open('/');
  await page.getByLabel('API key').fill(generateApiKey());
  await page.getByText('Enter a different key above to list the animals here.').waitFor();
  for (const surface of ['rest', 'graphql']) {
    const outcome = page.locator(`#${surface} .outcome`);
    expect(await outcome.innerText()).toBe('Not sent: the key does not work');
  }
  complaints.splice(0);
});

test('the landing page shows that it is waiting for the animals', async () => {
  const { page } = await open('/');
  await page.getByText('Not sent: there is no key yet').first().waitFor();
  await giveKey(page);
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/graphql', async (route) => {
    await promise;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('Listing the animals…').waitFor();
  expect(await page.locator('#graphql .outcome').innerText()).toBe('Sending…');
  resolve();
  await page.getByText(/^The first /).waitFor();
});

test('a copied curl command contains a variable in place of the API key', async () => {
  const { page } = await open('/', CLIPBOARD);
  await giveKey(page);
  await page.locator('#rest').getByRole('button', { name: 'Copy curl' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `curl -H "Authorization: Bearer $API_KEY" '${gateway.url}/v1/pets?limit=4'`,
  );
});

test('the landing page and the 404 page work below a proxy’s path prefix', async () => {
  const { page, requests, complaints } = await open('/');
  const prefix = await mountBelowPrefix(page, gateway.url);
  const before = requests.length;
  await page.goto(`${prefix}nowhere/at/all`);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.getByRole('link', { name: 'All addresses' }).click();
  await giveKey(page);
  expect(await animals(page)).not.toEqual([]);
  const outside = requests.slice(before).filter((request) => !request.includes(prefix));
  expect(outside).toEqual([]);
});

test('the keyboard alone can get from the 404 page to the documentation', async () => {
  const { page, complaints } = await open('/nowhere');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/`);
  // The first two tab stops are the name and GraphiQL.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/docs`);
});

test('if only trusted documents are allowed, REST lists the animals and GraphQL’s error is shown', async () => {
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

test('for an empty store, the landing page shows a command that adds animals, which the keyboard can copy', async () => {
  const { page } = await openEmpty('/', CLIPBOARD);
  await page.getByLabel('API key').fill(empty.key);
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

test('a response on the landing page is copied as shown, and the keyboard can scroll it', async () => {
  for (let id = 0; id < 20; id += 1) {
    await empty.post('/v1/pets', { name: `Animal ${id}`, categoryId: 1, status: 'sold' });
  }
  const { page } = await openEmpty('/', CLIPBOARD);
  await page.getByLabel('Limit').selectOption('20');
  await page.getByLabel('API key').fill(empty.key);
  await page.getByText('The first 20 animals, by id.').waitFor();
  const response = page.getByRole('region', { name: 'REST response' });
  await response.press('End');
  await expect.poll(() => response.evaluate((panel) => panel.scrollTop)).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Copy the REST response' }).press('Enter');
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toBe(await response.innerText());
});
