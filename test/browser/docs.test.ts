import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { operations } from '../support/openapi.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { operation, send, tryOut } from './support/docs.ts';
import { typeKey } from './support/playground.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { VIEWPORTS } from './support/viewports.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);

test('the deprecation link of a response opens its operation with the removal date and the replacement', async () => {
  await gateway.database.$executeRaw`
    INSERT INTO pets VALUES (${BigInt(LARGEST)}, 'Last', 1, 'sold')`;
  const answer = await gateway.request('/v1/pets/1');
  const [, link = ''] = /<([^>]*)>; rel="deprecation"/.exec(answer.headers.get('Link') ?? '') ?? [];
  const { pathname, hash } = new URL(link, `${gateway.url}/v1/pets/1`);
  const { page, requests } = await open(pathname + hash);
  const note = operation(page, 'getPet').getByRole('note');
  expect(await note.innerText()).toMatch(/^Deprecated since .* To be removed on 5 December 2030\./);
  expect(await isInSight(page, '[id="/animals/getPet"] .deprecation')).toBe(true);
  await typeKey(page, gateway.key);
  await tryOut(page, 'getPet');
  await operation(page, 'getPet').getByLabel('petId').fill(LARGEST);
  expect(await send(page, 'getPet')).toContain(`"id": ${LARGEST},\n  "name": "Last"`);
  expect(requests.at(-1)).toBe(`GET ${gateway.url}/v1/pets/${LARGEST}`);
  await note.getByRole('link', { name: 'GET /pets?status=available' }).click();
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/listPets`);
  expect(await isInSight(page, '[id="/animals/listPets"] h3')).toBe(true);
});

async function isInSight(page: Page, selector: string): Promise<unknown> {
  return page.evaluate(`(() => {
    const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
}

test('in /docs, the keyboard alone can enter the key, choose a language and list the animals', async () => {
  const { page } = await open('/docs');
  const tabTo = async (selector: string) => {
    for (let steps = 0; steps < 40; steps += 1) {
      await page.keyboard.press('Tab');
      if (await page.locator(`${selector}:focus`).count()) return;
    }
    throw new Error(`Tab does not reach ${selector}`);
  };
  await tabTo('api-key-field input');
  await page.keyboard.type(gateway.key);
  await page.getByText('This key works.').waitFor();
  await tabTo('.samples input');
  await page.keyboard.press('ArrowRight');
  await operation(page, 'listPets').getByText('await fetch(').waitFor();
  await tabTo('.try-it > summary');
  await page.keyboard.press('Enter');
  await tabTo('[type=submit]');
  await page.keyboard.press('Enter');
  const shown = operation(page, 'listPets').getByRole('region', { name: 'Response body' });
  expect(await shown.innerText()).toMatch(/^\[/);
  await tabTo('.body');
});

test('a language applies to all operations, and its samples are copied with the service’s URL', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const { page } = await open('/docs', { permissions });
  await typeKey(page, gateway.key);
  await operation(page, 'listPets').getByText('Python').click();
  await operation(page, 'createPet').getByText('from urllib.request').waitFor();
  await operation(page, 'createPet').getByRole('button', { name: 'Copy' }).click();
  await operation(page, 'createPet').getByRole('button', { name: 'Copied' }).waitFor();
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(copied).toContain(`"${gateway.url}/v1/pets"`);
  expect(copied).toContain('os.environ["API_KEY"]');
  expect(copied).not.toContain(gateway.key);
});

test('/docs works below a proxy’s path prefix', async () => {
  const { page, requests } = await open('/docs');
  const prefix = await mountBelowPrefix(page, gateway.url);
  const before = requests.length;
  await page.goto(`${prefix}docs#/animals/listPets`);
  await typeKey(page, gateway.key);
  await operation(page, 'listPets').getByText(`curl '${prefix}v1/pets?limit=20'`).waitFor();
  await tryOut(page, 'listPets');
  expect(await send(page, 'listPets')).toMatch(/^\[/);
  expect(requests.at(-1)).toBe(`GET ${prefix}v1/pets?limit=20`);
  await page.getByRole('link', { name: 'JSON', exact: true }).click();
  await page.waitForURL(`${prefix}v1/openapi.json`);
  const outside = requests.slice(before).filter((request) => !request.includes(prefix));
  expect(outside).toEqual([]);
});

test('/docs/ redirects to /docs, where without JavaScript only the forms and the search are missing', async () => {
  const { page } = await open('/docs/#/animals/getPet', { javaScriptEnabled: false });
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/getPet`);
  await operation(page, 'getPet').getByText('curl').first().waitFor();
  await page.locator('noscript').waitFor();
  expect(await page.getByText('Try it').first().isVisible()).toBe(false);
  expect(await page.getByRole('searchbox').isVisible()).toBe(false);
  await operation(page, 'getPet').getByText('The requested resource').first().click();
  await operation(page, 'getPet').getByRole('link', { name: 'NOT_FOUND' }).click();
  expect(await isInSight(page, '[id="/schemas/ErrorCode/NOT_FOUND"]')).toBe(true);
});

test.each(VIEWPORTS)(
  '/docs has no accessibility issues at $name, and no operation is longer than two screens',
  async (viewport) => {
    const { page } = await open('/docs', viewport);
    await typeKey(page, gateway.key);
    const heights = await page
      .locator('.operation')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(heights).toHaveLength(operations.length);
    expect(Math.max(...heights)).toBeLessThanOrEqual(2 * 844);
    expect(await accessibilityIssues(page)).toEqual([]);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background === 'rgb(255, 255, 255)').toBe(viewport.colorScheme === 'light');
    // Opens every form and a response of each kind.
    await page.evaluate(
      `for (const each of document.querySelectorAll('.try-it, .responses details:nth-of-type(-n + 3)')) each.open = true`,
    );
    await send(page, 'createPet');
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Operations and schemas' });
const found = (page: Page) => navigation(page).getByRole('listitem').allInnerTexts();

async function search(page: Page, words: string): Promise<string[]> {
  await page.getByRole('searchbox').fill(words);
  const texts = await found(page);
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

test('the search in /docs finds operations, schemas, codes and headers by their text', async () => {
  const { page } = await open('/docs');
  const all = await found(page);
  expect(await search(page, 'fetch')).toEqual([]);
  expect(await navigation(page).getByRole('status').innerText()).toBe('Nothing found');
  expect(await search(page, 'createpet')).toEqual(['POST Add an animal']);
  expect(await search(page, '/v1/pets/ get')).toEqual(['GET Get an animal deprecated']);
  expect(await search(page, 'categoryId')).toEqual(['Pet', 'Pets', 'NewPet', 'UpdatePetInput']);
  expect(await search(page, 'too many concurrent')).toEqual(['OVERLOADED']);
  expect(await search(page, 'retry-after')).toContain('Retry-After');
  expect(await navigation(page).getByRole('heading').allInnerTexts()).toEqual(['Response headers']);
  expect(await search(page, '')).toEqual(all.map((text) => text.replaceAll(/\s+/g, ' ').trim()));
});

test('in /docs, the keyboard alone can open the search with / and find an error code’s meaning', async () => {
  const { page } = await open('/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('IDEMPOTENCY_KEY_REUSED');
  await page.keyboard.press('Enter');
  expect(page.url()).toBe(`${gateway.url}/docs#/schemas/ErrorCode/IDEMPOTENCY_KEY_REUSED`);
  expect(await accessibilityIssues(page)).toEqual([]);
  const row = page.locator('[id="/schemas/ErrorCode/IDEMPOTENCY_KEY_REUSED"]');
  expect(await row.innerText()).toContain('was already used for another request');
});

test('a slash typed into a field of /docs does not open the search', async () => {
  const { page } = await open('/docs');
  await tryOut(page, 'getPet');
  const field = operation(page, 'getPet').getByLabel('petId');
  await field.fill('');
  await field.press('/');
  expect(await field.inputValue()).toBe('/');
});

test('the navigation of /docs marks the section in view', async () => {
  const { page } = await open('/docs#/animals/getPet');
  const current = navigation(page).locator('[aria-current]');
  const text = async () => (await current.allInnerTexts()).join();
  await expect.poll(text).toContain('Get an animal');
  await page.locator('[id="/animals/createPet"] h3').evaluate((title) => title.scrollIntoView());
  await expect.poll(text).toContain('Add an animal');
  await navigation(page).getByRole('link', { name: 'PetStatus' }).click();
  await expect.poll(text).toBe('PetStatus');
});

test('the first tab stop of /docs skips the navigation', async () => {
  const { page } = await open('/docs');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.localName')).toBe('main');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
});

test('the file for Postman is openapi.json with an absolute server URL, even below a path prefix', async () => {
  const { page } = await open('/docs');
  const { json } = await gateway.request('/v1/openapi.json');
  const prefix = await mountBelowPrefix(page, gateway.url);
  for (const root of [`${gateway.url}/`, prefix]) {
    await page.goto(`${root}docs`);
    const downloaded = page.waitForEvent('download');
    await page.getByRole('link', { name: 'file for Postman' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe('openapi.json');
    const file: unknown = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(file).toEqual({
      ...(isJsonObject(json) ? json : {}),
      servers: [expect.objectContaining({ url: `${root}v1` })],
    });
  }
});

test('in a narrow window, the navigation of /docs is folded until it is opened or searched', async () => {
  const { page } = await open('/docs', { viewport: { width: 390, height: 844 } });
  const contents = page.getByRole('button', { name: 'Contents' });
  const link = navigation(page).getByRole('link', { name: 'Add an animal' });
  expect(await link.isVisible()).toBe(false);
  await contents.click();
  expect(await contents.getAttribute('aria-expanded')).toBe('true');
  await link.click();
  expect(page.url()).toBe(`${gateway.url}/docs#/animals/createPet`);
  expect(await link.isVisible()).toBe(false);
  await page.keyboard.press('/');
  await page.keyboard.type('Pets');
  expect(await found(page)).toContain('Pets');
  expect(await accessibilityIssues(page)).toEqual([]);
});

test('the navigation of /docs is visible in a wide window, and without JavaScript in any window', async () => {
  const { page: wide } = await open('/docs');
  expect(await navigation(wide).getByRole('link', { name: 'Add an animal' }).isVisible()).toBe(
    true,
  );
  expect(await wide.getByRole('button', { name: 'Contents' }).isVisible()).toBe(false);
  const { page: narrow } = await open('/docs', {
    viewport: { width: 390, height: 844 },
    javaScriptEnabled: false,
  });
  expect(await navigation(narrow).getByRole('link', { name: 'Add an animal' }).isVisible()).toBe(
    true,
  );
});
