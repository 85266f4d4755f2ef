import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { createKey } from '../support/keys.ts';
import { startBrowser } from './support/browser.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

const field = (page: Page) => page.getByLabel('API key');
const told = (page: Page) => page.locator('api-key-field').getByRole('status').innerText();

test.each([
  'API_KEY=…',
  'export API_KEY="…"',
  "API_KEY: '…'",
  'Bearer …',
  '-H "Authorization: Bearer …" \\',
])('a key is taken out of what is pasted: %s', async (pasted) => {
  const { page } = await open('/');
  await field(page).fill(pasted.replace('…', gateway.key));
  await expect.poll(() => told(page)).toBe('This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
});

test('a link that hands a key over in its fragment leaves it in the field, and not in the address', async () => {
  const { page } = await open(`/#API_KEY=${gateway.key}`);
  await expect.poll(() => told(page)).toBe('This key works.');
  expect(await field(page).inputValue()).toBe(gateway.key);
  expect(page.url()).not.toContain(gateway.key.slice(4));
});

test.each(['asg_', 'KEY'])(
  'a link does not replace a key that is in use: %s',
  async (handedOver) => {
    const { key: other } = await createKey(gateway.database, { name: 'other' });
    const { page } = await open('/');
    await field(page).fill(gateway.key);
    await expect.poll(() => told(page)).toBe('This key works.');
    const text = handedOver === 'KEY' ? other : handedOver;
    await page.evaluate(`location.hash = ${JSON.stringify(`API_KEY=${text}`)}`);
    await expect.poll(() => page.url()).not.toContain('API_KEY');
    await page.goto(`${gateway.url}/docs#API_KEY=${text}`);
    await expect.poll(() => told(page)).toBe('This key works.');
    expect(await field(page).inputValue()).toBe(gateway.key);
    expect(page.url()).not.toContain('API_KEY');
  },
);

test('a key is checked as soon as it is pasted, by the button or the keyboard, or typed to its end', async () => {
  const { page } = await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  const paste = page.getByRole('button', { name: 'Paste' });
  const copy = (text: string) =>
    page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await copy('nothing');
  await paste.click();
  await expect
    .poll(() => told(page))
    .toBe('An API key begins with asg_ and has 53 characters; this one has 7.');
  await copy('asg_');
  await field(page).press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+v');
  await expect
    .poll(() => told(page))
    .toBe('An API key begins with asg_ and has 53 characters; this one has 4.');
  await page.keyboard.type(gateway.key.slice(4));
  await expect.poll(() => told(page)).toBe('This key works.');
});
