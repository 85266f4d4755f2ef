import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { startGateway } from '../support/gateway.ts';
import { seriousViolations, startBrowser } from './support/browser.ts';
import { operation, tryOut } from './support/docs.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

const navigation = (page: Page) => page.getByRole('navigation', { name: 'Operations and schemas' });
const found = (page: Page) => navigation(page).getByRole('listitem').allInnerTexts();

async function search(page: Page, words: string): Promise<string[]> {
  await page.getByRole('searchbox').fill(words);
  const texts = await found(page);
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

test('the search finds operations, schemas, codes and headers by what is known of them', async () => {
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

test('the keyboard alone gets from / to what a code means', async () => {
  const { page } = await open('/docs');
  await page.keyboard.press('/');
  await page.keyboard.type('IDEMPOTENCY_KEY_REUSED');
  await page.keyboard.press('Enter');
  expect(page.url()).toBe(`${gateway.url}/docs#/schemas/ErrorCode/IDEMPOTENCY_KEY_REUSED`);
  expect(await seriousViolations(page)).toEqual([]);
  const row = page.locator('[id="/schemas/ErrorCode/IDEMPOTENCY_KEY_REUSED"]');
  expect(await row.innerText()).toContain('was already used for another request');
});

test('a slash in a field is a slash', async () => {
  const { page } = await open('/docs');
  await tryOut(page, 'getPet');
  const field = operation(page, 'getPet').getByLabel('petId');
  await field.fill('');
  await field.press('/');
  expect(await field.inputValue()).toBe('/');
});

test('the section that is read is marked in the navigation, wherever one scrolls to', async () => {
  const { page } = await open('/docs#/animals/getPet');
  const current = navigation(page).locator('[aria-current]');
  const text = async () => (await current.allInnerTexts()).join();
  await expect.poll(text).toContain('Get an animal');
  await page.locator('[id="/animals/createPet"] h3').evaluate((title) => title.scrollIntoView());
  await expect.poll(text).toContain('Add an animal');
  await navigation(page).getByRole('link', { name: 'PetStatus' }).click();
  await expect.poll(text).toBe('PetStatus');
});

test('the first stop of the keyboard leads past the navigation', async () => {
  const { page } = await open('/docs');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.localName')).toBe('main');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
});

test('the file for Postman is the document with an absolute server, below a prefix as well', async () => {
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

test('in a narrow window the navigation is folded, until it is asked for or searched', async () => {
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
  expect(await seriousViolations(page)).toEqual([]);
});

test('in a wide window, and without JavaScript in any, the navigation is in sight', async () => {
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
