import { generateApiKey } from '../support/store-database.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const { key: expired } = await createKey(gateway.database, {
  name: 'expired',
  expiresAt: new Date('2026-05-04T03:02:01Z'),
});

const field = (page: Page) => page.getByLabel('API key');
const told = (page: Page) => page.locator('api-key-field').getByRole('status').innerText();
const stored = (page: Page) =>
  page.evaluate<string | null>('sessionStorage.getItem("animal-store-gateway:api-key")');

test.each([
  ['asg_cut', 'An API key begins with asg_ and has 53 characters; this one has 7.'],
  [
    `${generateApiKey()} ${generateApiKey()}`,
    'An API key begins with asg_ and has 53 characters; this one has 107.',
  ],
])('what is no key is told without asking the service: %s', async (text, sentence) => {
  const { page, requests } = await open('/');
  await field(page).fill(text);
  await field(page).press('Enter');
  await expect.poll(() => told(page)).toBe(sentence);
  expect(await field(page).getAttribute('aria-invalid')).toBe('true');
  expect(await stored(page)).toBeNull();
  expect(requests.filter((request) => request.endsWith('/key'))).toEqual([]);
});

test.each([
  ['unknown', generateApiKey(), 'The API key is not valid.'],
  ['expired', expired, 'The API key expired on 2026-05-04 at 03:02 UTC.'],
])('a key that is %s is told with the words of the service, and not kept', async (...row) => {
  const [, key, sentence] = row;
  const { page, complaints } = await open('/');
  await field(page).fill(gateway.key);
  await expect.poll(() => told(page)).toBe('This key works.');
  await field(page).fill(key);
  await expect.poll(() => told(page)).toBe(sentence);
  expect(await stored(page)).toBeNull();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});

test('the command that creates a key is copied by the keyboard', async () => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await expect
    .poll(() => told(page))
    .toMatch(
      /^Every operation needs an API key\. Create one: npm run --silent keys -- create NAME/,
    );
  await page.locator('#api-key-status').getByRole('button').press('Enter');
  await page.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'npm run --silent keys -- create NAME',
  );
});

test('Show and Forget are off while the field is empty', async () => {
  const { page } = await open('/');
  const areOff = async () => {
    const buttons = ['Show', 'Forget'].map((name) => page.getByRole('button', { name }));
    return Promise.all(buttons.map((button) => button.isDisabled()));
  };
  expect(await areOff()).toEqual([true, true]);
  await field(page).pressSequentially('asg_');
  expect(await areOff()).toEqual([false, false]);
  await field(page).fill('');
  expect(await areOff()).toEqual([true, true]);
});

test('a key that works outlives a reload of its tab, is in no other and no URL, and is forgotten when told to', async () => {
  const { page, requests } = await open('/');
  await field(page).fill(`  ${gateway.key}\n`);
  await expect.poll(() => told(page)).toBe('This key works.');
  await page.reload();
  await expect.poll(() => told(page)).toBe('This key works.');
  expect(await stored(page)).toBe(gateway.key);
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);

  const other = await page.context().newPage();
  await other.goto(page.url());
  expect(await field(other).inputValue()).toBe('');

  await page.getByRole('button', { name: 'Forget' }).click();
  await expect.poll(() => told(page)).toBe(await told(other));
  expect([await stored(page), await field(page).inputValue()]).toEqual([null, '']);
  expect([page.url(), ...requests].filter((url) => url.includes('asg_'))).toEqual([]);
});

test('a browser that keeps its clipboard closed says where to paste', async () => {
  const { page } = await open('/', { permissions: [] });
  await page.getByRole('button', { name: 'Paste' }).click();
  await expect
    .poll(() => told(page))
    .toBe('The browser does not allow reading the clipboard: paste into the field instead.');
  expect(await field(page).evaluate('document.activeElement.id')).toBe('api-key');
});

test('the key is masked until it is to be shown', async () => {
  const { page } = await open('/');
  await field(page).fill('asg_');
  const show = page.getByRole('button', { name: 'Show' });
  const state = async () => [
    await field(page).getAttribute('type'),
    await show.getAttribute('aria-pressed'),
  ];
  expect(await state()).toEqual(['password', 'false']);
  await show.press('Enter');
  expect(await state()).toEqual(['text', 'true']);
  await show.press('Enter');
  expect(await state()).toEqual(['password', 'false']);
});

test('a service that does not answer says nothing of a key: the tab keeps it, and Enter asks again', async () => {
  const { page, complaints } = await open('/');
  await field(page).fill(gateway.key);
  await expect.poll(() => told(page)).toBe('This key works.');
  await page.route(/key$|livez/, (route) => route.abort());
  await page.reload();
  await expect
    .poll(() => told(page))
    .toBe('The key will be checked when the service responds again.');
  expect(await stored(page)).toBe(gateway.key);
  await page.unroute(/key$|livez/);
  await field(page).press('Enter');
  await expect.poll(() => told(page)).toBe('This key works.');
  complaints.splice(0);
});

test('a page that the browser kept, and shows again, has the key that was given meanwhile', async () => {
  const { page } = await open('/');
  const other = `sessionStorage.setItem('animal-store-gateway:api-key', '${gateway.key}')`;
  await page.evaluate(other);
  // Playwright's Chromium keeps no pages.
  await page.evaluate(
    'dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })), undefined',
  );
  await expect.poll(() => told(page)).toBe('This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
});

test('a key that could not be checked does not leave the one before in use', async () => {
  const { page, complaints } = await open('/');
  await field(page).fill(gateway.key);
  await expect.poll(() => told(page)).toBe('This key works.');
  await page.route(/key$|livez/, (route) => route.abort());
  await field(page).fill(generateApiKey());
  await expect
    .poll(() => told(page))
    .toBe('The key will be checked when the service responds again.');
  expect(await stored(page)).toBeNull();
  complaints.splice(0);
});

test('what answers in the place of the service is told by its status', async () => {
  const { page, complaints } = await open('/');
  await page.route('**/key', (route) => route.fulfill({ status: 502, body: '<h1>Bad</h1>' }));
  await field(page).fill(gateway.key);
  await expect
    .poll(() => told(page))
    .toBe('The key could not be checked: the service responded 502. Press Enter to try again.');
  complaints.splice(0);
});

test.each([
  ['a megabyte', 'x'.repeat(1_000_000), 'this one has 1000000.'],
  ['markup', '<img src=x onerror=alert(1)>', 'this one has 28.'],
  ['a line break', `${gateway.key.slice(0, 20)}\r\n${gateway.key.slice(20)}`, 'This key works.'],
])('a pasted text with %s is told what it is', async (_what, text, sentence) => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByRole('button', { name: 'Paste' }).click();
  await expect.poll(() => told(page)).toContain(sentence);
});

test('a key that has stopped working between two pages is told, and no longer used', async () => {
  const { page, complaints } = await open('/');
  await page.evaluate(
    `sessionStorage.setItem('animal-store-gateway:api-key', '${generateApiKey()}')`,
  );
  await page.goto(`${gateway.url}/docs`);
  await expect.poll(() => told(page)).toBe('The API key is not valid.');
  expect(await stored(page)).toBeNull();
  complaints.splice(0);
});

test('too many checks are told with when to go on', async () => {
  const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 60 } });
  const { page, complaints } = await open('/docs');
  await page.route('**/key', async (route) => {
    const url = route.request().url().replace(gateway.url, limited.url);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await field(page).fill(limited.key);
  await expect.poll(() => told(page)).toBe('This key works.');
  await field(page).press('Enter');
  await expect.poll(() => told(page)).toMatch(/: Too many .* Press Enter to try again in \d+ s\.$/);
  complaints.splice(0);
});
