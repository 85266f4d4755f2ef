import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway, ['http://store.example']);

const PAGES = ['/', '/graphql', '/docs', '/guides', '/nowhere/at/all'];
/** The pages with a field for the API key. */
const KEY_PAGES = ['/', '/graphql', '/docs'];
const OUTAGE =
  'The service does not respond. This page continues automatically when it does. Try now';

const notice = (page: Page) => page.locator('#outage').innerText();
const keyStatus = (page: Page) => page.locator('#api-key-status').innerText();

/** Returns the absolute URLs of links. */
function hrefs(links: Locator): Promise<string[]> {
  return links.evaluateAll((all) => all.map((link) => String(Reflect.get(link, 'href'))));
}

async function openPage(path: string) {
  const opened = await open(path);
  // The browser logs the 404 of the missing page.
  opened.complaints.splice(0);
  return opened;
}

test.each(PAGES)(
  'the header of %s has the same links as on all pages and marks the current page',
  async (path) => {
    const { page } = await openPage(path);
    const links = page.locator('header').first().getByRole('link');
    expect(await hrefs(links)).toEqual([
      `${gateway.url}/`,
      `${gateway.url}/graphql`,
      `${gateway.url}/docs`,
      `${gateway.url}/guides`,
    ]);
    expect(await hrefs(page.locator('header [aria-current=page]'))).toEqual(
      path.startsWith('/nowhere') ? [] : [gateway.url + path],
    );
  },
);

test.each(KEY_PAGES)(
  'during an outage, %s says that the service does not respond',
  async (path) => {
    const { page, complaints } = await openPage(path);
    await typeKey(page, gateway.key);
    await page.route('**/*', (route) => route.abort());
    await page.evaluate('dispatchEvent(new Event("service-unreachable")), undefined');
    await expect.poll(() => notice(page)).toBe(OUTAGE);
    expect(await keyStatus(page)).toBe('The key will be checked when the service responds again.');
    await page.waitForRequest('**/livez');
    await page.unroute('**/*');
    await expect.poll(() => notice(page), { timeout: 10_000 }).toBe('');
    await expect.poll(() => keyStatus(page)).toBe('This key works.');
    complaints.splice(0);
  },
);

test.each(['/guides', '/guides/limits', '/nowhere'])(
  '%s does not ask for an API key',
  async (path) => {
    const { page } = await openPage(path);
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
    expect(await page.locator('api-key-field').count()).toBe(0);
  },
);

test.each(KEY_PAGES)(
  'a key that is entered on %s works on the next page; in a narrow window, its field is folded into one line',
  async (path) => {
    const { page } = await open(path, { viewport: { width: 390, height: 844 } });
    const field = page.getByLabel('API key');
    const change = page.getByRole('button', { name: 'Change' });
    await field.focus();
    await page.keyboard.insertText(gateway.key);
    await expect.poll(() => keyStatus(page)).toBe('This key works.');
    expect(await field.isVisible()).toBe(false);
    const active = page.locator('button:focus');
    expect(await active.innerText()).toBe('Change');
    await change.press('Enter');
    await field.waitFor();
    expect(await change.isVisible()).toBe(false);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('nothing');
    await field.press('Enter');
    await expect.poll(() => keyStatus(page)).toContain('this one has 7');
    await typeKey(page, gateway.key);
    await page.getByRole('link', { name: 'Animal Store Gateway' }).click();
    await expect.poll(() => keyStatus(page)).toBe('This key works.');
    expect(await field.isVisible()).toBe(false);
  },
);

test.each([
  [
    '127.0.0.1',
    'Every operation needs an API key. Create one: npm run --silent keys -- create NAME',
  ],
  ['store.example', 'Every operation needs an API key. Ask the operator of this service for one.'],
])('on the host %s, a page without an API key says how to get one', async (host, sentence) => {
  const { page, complaints } = await open('/livez');
  await page.route('http://store.example/**', async (route) => {
    const url = route.request().url().replace('http://store.example', gateway.url);
    await route.fulfill({ response: await route.fetch({ url }) });
  });
  await page.goto(host === 'store.example' ? `http://${host}` : gateway.url);
  await expect.poll(() => keyStatus(page)).toContain(sentence);
  // Chromium warns about other hosts without HTTPS.
  complaints.splice(0);
});

test('"Try now" ends an outage at once if the service responds', async () => {
  const { page, complaints } = await open('/docs');
  // The clock stands still, so the page does not try again before the click.
  await page.clock.install({ time: '2026-01-01T00:00:00Z' });
  await page.clock.pauseAt('2026-01-01T01:00:00Z');
  await page.route('**/*', (route) => route.abort());
  await page.evaluate('dispatchEvent(new Event("service-unreachable")), undefined');
  await expect.poll(() => notice(page)).toBe(OUTAGE);
  await page.unroute('**/*');
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.poll(() => notice(page)).toBe('');
  complaints.splice(0);
});

test('an API key that is entered during an outage is checked after the outage', async () => {
  const { page, complaints } = await open('/docs');
  await page.route('**/*', (route) => route.abort());
  await page.getByLabel('API key').fill(gateway.key);
  await expect.poll(() => notice(page)).toBe(OUTAGE);
  await page.unroute('**/*');
  await expect.poll(() => keyStatus(page), { timeout: 10_000 }).toBe('This key works.');
  complaints.splice(0);
});

test('a proxy’s 502 does not end an outage', async () => {
  const { page, complaints } = await open('/docs');
  let asked = 0;
  await page.route('**/livez', async (route) => {
    asked += 1;
    await (asked === 1 ? route.fulfill({ status: 502 }) : route.continue());
  });
  await page.evaluate('dispatchEvent(new Event("service-unreachable")), undefined');
  await expect.poll(() => notice(page)).toBe(OUTAGE);
  await expect.poll(() => notice(page), { timeout: 10_000 }).toBe('');
  expect(asked).toBe(2);
  complaints.splice(0);
});

test('the landing page lists the animals automatically after an outage', async () => {
  await gateway.post('/v1/pets', { name: 'Rex', categoryId: 1 });
  const { page, complaints } = await open('/');
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('The first animal, by id.').waitFor();
  await page.route('**/*', (route) => route.abort());
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The animals will be listed when the service responds again.').waitFor();
  await expect.poll(() => notice(page)).toBe(OUTAGE);
  expect(await accessibilityIssues(page)).toEqual([]);
  await page.unroute('**/*');
  await page.getByText('The first animal, by id.').waitFor();
  complaints.splice(0);
});

test.each(KEY_PAGES)(
  'without JavaScript, %s says what requires JavaScript and still links to all pages',
  async (path) => {
    const { page } = await open(path, { javaScriptEnabled: false });
    // Playwright does not find text inside a noscript element.
    expect(await page.locator('noscript').innerText()).toContain('JavaScript');
    expect(await page.locator('api-key-field').isVisible()).toBe(false);
    expect(await page.getByText('Loading').isVisible()).toBe(false);
    await page.locator('header').getByRole('link', { name: 'REST documentation' }).click();
    await page.waitForURL(`${gateway.url}/docs`);
  },
);
