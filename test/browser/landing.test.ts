import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { generateApiKey } from '../support/store-database.ts';
import { mountBelowPrefix } from './support/prefix.ts';
import { startBrowser } from './support/browser.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.database.$executeRaw`
  INSERT INTO pets VALUES (${BigInt(LARGEST)}, '<i>Last</i>', ${BigInt(LARGEST)}, 'sold')`;
await gateway.post('/v1/pets', { name: 'First', categoryId: 1 });

const animals = (page: Page) => page.locator('#animals li').allInnerTexts();
const answer = (page: Page, surface: string) =>
  page.getByRole('region', { name: `${surface} response` }).innerText();

async function giveKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText(/^The first /).waitFor();
}

test('every link of the landing page leads somewhere', async () => {
  const { page } = await open('/');
  const links = await page
    .locator('dt')
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  expect(links).toHaveLength(9);
  for (const link of links) {
    const { pathname } = new URL(link, page.url());
    const headers = { Accept: 'text/html,*/*;q=0.8' };
    const { status } = await gateway.request(pathname, { headers });
    expect([link, status]).toEqual([link, 200]);
  }
});

test('the first animals are there as soon as the key is, with all digits, on both surfaces', async () => {
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

test('the next page follows the last animal, and Refresh goes back to the first', async () => {
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

test('the first animals are there although the key was checked before the script of the page was loaded', async () => {
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

test('what is chosen is asked of both surfaces, and shown as it is asked', async () => {
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

test('the list is asked for again by its button, and is gone with the key', async () => {
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

test('what a surface answers instead of a list is shown as it is, beside the list of the other', async () => {
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

test('what answers in the place of the service does not leave the animals of before', async () => {
  const { page, complaints } = await open('/');
  await giveKey(page);
  await page.route(/graphql|v1/, (route) => route.fulfill({ status: 502, body: '<h1>Bad</h1>' }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The animals could not be listed').waitFor();
  expect(await animals(page)).toEqual([]);
  expect(await answer(page, 'GraphQL')).toBe('<h1>Bad</h1>');
  complaints.splice(0);
});

test('a refused key is reported beside each request', async () => {
  const { page, complaints } = await open('/');
  await page.getByLabel('API key').fill(generateApiKey());
  await page.getByText('Enter another key above to list the animals here.').waitFor();
  for (const surface of ['rest', 'graphql']) {
    const outcome = page.locator(`#${surface} .outcome`);
    expect(await outcome.innerText()).toBe('Not sent: the key does not work');
  }
  complaints.splice(0);
});

test('while the surfaces are asked, the page says so', async () => {
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

test('a copied curl command has no key in it', async () => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await giveKey(page);
  await page.locator('#rest').getByRole('button', { name: 'Copy curl' }).click();
  await page.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `curl -H "Authorization: Bearer $API_KEY" '${gateway.url}/v1/pets?limit=4'`,
  );
});

test('everything works below the prefix of a proxy', async () => {
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

test('without JavaScript, the page is a list of links', async () => {
  const { page } = await open('/', { javaScriptEnabled: false });
  // Playwright finds nothing by its text in a noscript.
  expect(await page.locator('noscript').innerText()).toContain('enable JavaScript');
  expect(await page.locator('#try').isVisible()).toBe(false);
  await page.getByRole('link', { name: 'REST documentation' }).last().click();
  await page.waitForURL(`${gateway.url}/docs`);
});

test('the keyboard leads from a page that is not there to the documentation', async () => {
  const { page, complaints } = await open('/nowhere');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/`);
  // The name and GraphiQL come first.
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${gateway.url}/docs`);
});
