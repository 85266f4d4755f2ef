import { generateApiKey } from '../support/store-database.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { operation, tryOut } from './support/docs.ts';
import { typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const { key: expired } = await createKey(gateway.database, {
  name: 'expired',
  expiresAt: new Date('2026-05-04T03:02:01Z'),
});

const field = (page: Page) => page.getByLabel('API key');
const told = (page: Page) => page.locator('#api-key-status').innerText();
async function expectStatus(page: Page, sentence: string): Promise<void> {
  await expect.poll(() => told(page)).toBe(sentence);
}

const stored = (page: Page) =>
  page.evaluate<string | null>('sessionStorage.getItem("animal-store-gateway:api-key")');

test.each([
  ['asg_cut', 'An API key begins with asg_ and has 53 characters; this one has 7.'],
  [
    `${generateApiKey()} ${generateApiKey()}`,
    'An API key begins with asg_ and has 53 characters; this one has 107.',
  ],
])('the API key field rejects %s without sending it to the service', async (text, sentence) => {
  const { page, requests } = await open('/');
  await field(page).fill(text);
  await field(page).press('Enter');
  await expectStatus(page, sentence);
  expect(await field(page).getAttribute('aria-invalid')).toBe('true');
  expect(await stored(page)).toBeNull();
  expect(requests.filter((request) => request.endsWith('/key'))).toEqual([]);
});

test.each([
  ['unknown', generateApiKey(), 'The API key is not valid.'],
  ['expired', expired, 'The API key expired on 2026-05-04 at 03:02 UTC.'],
])('an %s API key is reported with the service’s message and not stored', async (...row) => {
  const [, key, sentence] = row;
  const { page, complaints } = await open('/');
  await typeKey(page, gateway.key);
  await field(page).fill(key);
  await expectStatus(page, sentence);
  expect(await stored(page)).toBeNull();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
});

test('the keyboard can copy the command that creates an API key', async () => {
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

test('an API key is masked until Show is pressed; Show and Forget are disabled while the field is empty', async () => {
  const { page } = await open('/');
  const show = page.getByRole('button', { name: 'Show' });
  const forget = page.getByRole('button', { name: 'Forget' });
  const areOff = async () => [await show.isDisabled(), await forget.isDisabled()];
  const look = async () => [
    await field(page).getAttribute('type'),
    await show.getAttribute('aria-pressed'),
  ];
  expect(await areOff()).toEqual([true, true]);
  await field(page).pressSequentially('asg_');
  expect(await areOff()).toEqual([false, false]);
  expect(await look()).toEqual(['password', 'false']);
  await show.press('Enter');
  expect(await look()).toEqual(['text', 'true']);
  await show.press('Enter');
  expect(await look()).toEqual(['password', 'false']);
  await field(page).fill('');
  expect(await areOff()).toEqual([true, true]);
});

test('an API key survives a reload, never appears in other tabs or URLs, and Forget removes it', async () => {
  const { page, requests } = await open('/');
  await field(page).fill(`  ${gateway.key}\n`);
  await expectStatus(page, 'This key works.');
  await page.reload();
  await expectStatus(page, 'This key works.');
  expect(await stored(page)).toBe(gateway.key);
  expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);

  const other = await page.context().newPage();
  await other.goto(page.url());
  expect(await field(other).inputValue()).toBe('');

  await page.getByRole('button', { name: 'Forget' }).click();
  await expectStatus(page, await told(other));
  expect([await stored(page), await field(page).inputValue()]).toEqual([null, '']);
  expect([page.url(), ...requests].filter((url) => url.includes('asg_'))).toEqual([]);
});

test('without access to the clipboard, Paste asks the user to paste into the field', async () => {
  const { page } = await open('/', { permissions: [] });
  await page.getByRole('button', { name: 'Paste' }).click();
  await expectStatus(
    page,
    'The browser does not allow reading the clipboard: paste into the field instead.',
  );
  expect(await field(page).evaluate('document.activeElement.id')).toBe('api-key');
});

test('during an outage, a tab keeps its API key until a different one is entered, and Enter checks the key again', async () => {
  const { page, complaints } = await open('/');
  const pending = 'The key will be checked when the service responds again.';
  await typeKey(page, gateway.key);
  await page.route(/key$|livez/, (route) => route.abort());
  await page.reload();
  await expectStatus(page, pending);
  expect(await stored(page)).toBe(gateway.key);
  await field(page).fill(generateApiKey());
  await expect.poll(() => stored(page)).toBeNull();
  await expectStatus(page, pending);
  await field(page).fill(gateway.key);
  await page.unroute(/key$|livez/);
  await field(page).press('Enter');
  await expectStatus(page, 'This key works.');
  complaints.splice(0);
});

test('a page restored from the back/forward cache uses the key that was entered on a different page', async () => {
  const { page } = await open('/');
  const other = `sessionStorage.setItem('animal-store-gateway:api-key', '${gateway.key}')`;
  await page.evaluate(other);
  // Playwright's Chromium has no back/forward cache.
  await page.evaluate(
    'dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })), undefined',
  );
  await expectStatus(page, 'This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
});

test('a proxy’s error during the check of an API key is reported with its status', async () => {
  const { page, complaints } = await open('/');
  await page.route('**/key', (route) => route.fulfill({ status: 502, body: '<h1>Bad</h1>' }));
  await field(page).fill(gateway.key);
  await expect
    .poll(() => told(page))
    .toBe(
      'The key could not be checked: the service responded with 502. Press Enter to try again.',
    );
  complaints.splice(0);
});

test.each([
  ['a megabyte', 'x'.repeat(1_000_000), 'this one has 1000000.'],
  ['markup', '<img src=x onerror=alert(1)>', 'this one has 28.'],
  ['a line break', `${gateway.key.slice(0, 20)}\r\n${gateway.key.slice(20)}`, 'This key works.'],
])('a pasted text with %s is checked like any API key', async (_what, text, sentence) => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.getByRole('button', { name: 'Paste' }).click();
  await expect.poll(() => told(page)).toContain(sentence);
});

test('a stored API key that is invalid when the next page loads is reported and removed', async () => {
  const { page, complaints } = await open('/');
  await page.evaluate(
    `sessionStorage.setItem('animal-store-gateway:api-key', '${generateApiKey()}')`,
  );
  await page.goto(`${gateway.url}/docs`);
  await expectStatus(page, 'The API key is not valid.');
  expect(await stored(page)).toBeNull();
  complaints.splice(0);
});

test('too many API key checks are reported with the time to wait', async () => {
  const limited = await startGateway({ rateLimit: { quota: 1, windowSeconds: 60 } });
  const { page, complaints } = await open('/docs');
  await page.route('**/key', async (route) => {
    const url = route.request().url().replace(gateway.url, limited.url);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await field(page).fill(limited.key);
  await expectStatus(page, 'This key works.');
  await field(page).press('Enter');
  await expect.poll(() => told(page)).toMatch(/: Too many .* Press Enter to try again in \d+ s\.$/);
  complaints.splice(0);
});

test.each([
  'API_KEY=…',
  'export API_KEY="…"',
  "API_KEY: '…'",
  'Bearer …',
  '-H "Authorization: Bearer …" \\',
])('an API key is extracted from the pasted text: %s', async (pasted) => {
  const { page } = await open('/');
  await field(page).fill(pasted.replace('…', gateway.key));
  await expectStatus(page, 'This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
});

test('an API key in a link’s fragment is moved from the URL to the field', async () => {
  const { page } = await open(`/#API_KEY=${gateway.key}`);
  await expectStatus(page, 'This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
  expect(page.url()).not.toContain(gateway.key.slice(4));
});

test.each(['asg_', 'KEY'])(
  'an API key in a link does not replace a working key: %s',
  async (handedOver) => {
    const { key: other } = await createKey(gateway.database, { name: 'other' });
    const { page } = await open('/');
    await typeKey(page, gateway.key);
    const text = handedOver === 'KEY' ? other : handedOver;
    await page.evaluate(`location.hash = ${JSON.stringify(`API_KEY=${text}`)}`);
    await expect.poll(() => page.url()).not.toContain('API_KEY');
    await page.goto(`${gateway.url}/docs#API_KEY=${text}`);
    await expectStatus(page, 'This key works.');
    expect(await field(page).inputValue()).toBe(gateway.key);
    expect(page.url()).not.toContain('API_KEY');
  },
);

test('an API key is checked as soon as it is pasted or completely typed', async () => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  const paste = page.getByRole('button', { name: 'Paste' });
  const copy = (text: string) =>
    page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await copy('nothing');
  await paste.click();
  await expectStatus(page, 'An API key begins with asg_ and has 53 characters; this one has 7.');
  await copy('asg_');
  await field(page).press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+v');
  await expectStatus(page, 'An API key begins with asg_ and has 53 characters; this one has 4.');
  await page.keyboard.type(gateway.key.slice(4));
  await expect.poll(() => told(page)).toBe('This key works.');
});

const ALL = { scopes: null, origins: null, documentsOnly: false };
const SHOP = 'https://shop.example';

/** Responds to all requests for /key with this body. */
async function answerKey(page: Page, json: object, status = 200): Promise<void> {
  await page.route('**/key', (route) => route.fulfill({ status, json }));
}

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
])('the status of an API key with %j is: %s', async (rights, sentence) => {
  const { page } = await open('/docs');
  await answerKey(page, { ...ALL, ...rights });
  await field(page).fill(gateway.key);
  await expect.poll(() => told(page)).toBe(sentence);
});

test('an API key restricted to other origins is reported with these origins and not stored', async () => {
  const { page, complaints } = await open('/docs');
  const message = `This API key only works on pages of ${SHOP}`;
  await answerKey(page, { code: 'FORBIDDEN', message }, 403);
  await field(page).fill(gateway.key);
  await expectStatus(page, `${message}.`);
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
  complaints.splice(0);
});

test('a form in /docs says which scope its operation requires and the API key lacks', async () => {
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
  await field(page).fill(gateway.key);
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

test('the landing page says why an API key may not list the animals', async () => {
  const { page, complaints } = await open('/');
  await answerKey(page, { ...ALL, scopes: ['write'] });
  const message = 'This request needs the scope read';
  await page.route('**/v1/pets?*', (route) =>
    route.fulfill({ status: 403, json: { code: 'FORBIDDEN', message } }),
  );
  await page.route('**/graphql', (route) =>
    route.fulfill({ status: 403, json: { errors: [{ message }] } }),
  );
  await field(page).fill(gateway.key);
  await page
    .getByText('The animals could not be listed: This request needs the scope read.')
    .waitFor();
  expect(await page.locator('#animals li').count()).toBe(0);
  expect(complaints.splice(0)).toHaveLength(2);
});
