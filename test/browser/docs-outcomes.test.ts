import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { giveKey, operation, send, tryOut } from './support/docs.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

const outcome = (page: Page, name: string) => operation(page, name).getByRole('status');

/** What tells an outcome from others: its icon and its colour. */
async function lookOf(page: Page, name: string) {
  return outcome(page, name).evaluate((element) => {
    const { content, color } = getComputedStyle(element, '::before');
    return { icon: content, color };
  });
}

test('a success, its replay and a failure differ in word, icon and colour', async () => {
  const { page, complaints } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'createPet');
  await operation(page, 'createPet').getByLabel('Idempotency-Key').fill('typed');
  const created = await send(page, 'createPet');
  expect(await outcome(page, 'createPet').innerText()).toMatch(/^Success 201 Created · /);
  const success = await lookOf(page, 'createPet');
  await operation(page, 'createPet').getByRole('button', { name: 'Send' }).click();
  await outcome(page, 'createPet').getByText('Replay of the first response').waitFor();
  expect(await outcome(page, 'createPet').innerText()).toMatch(
    /^Replay of the first response 201 Created · /,
  );
  const shown = operation(page, 'createPet').getByRole('region', { name: 'Response body' });
  expect(await shown.innerText()).toBe(created);
  const replay = await lookOf(page, 'createPet');
  await operation(page, 'createPet').getByLabel('Request body').fill('{}');
  expect(await send(page, 'createPet')).toContain('BAD_USER_INPUT');
  expect(await outcome(page, 'createPet').innerText()).toMatch(/^Failure 400 Bad Request · /);
  const failure = await lookOf(page, 'createPet');
  const looks = [success, replay, failure];
  expect(new Set(looks.map(({ icon }) => icon)).size).toBe(3);
  expect(new Set(looks.map(({ color }) => color)).size).toBe(3);
  expect(complaints.splice(0)).toEqual([expect.stringContaining('400')]);
});

test('a response from the client’s copy is a success without a body', async () => {
  const { page } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'listPets');
  await operation(page, 'listPets').getByLabel('If-None-Match').fill('*');
  await operation(page, 'listPets').getByRole('button', { name: 'Send' }).click();
  await outcome(page, 'listPets').getByText('304 Not Modified').waitFor();
  expect(await outcome(page, 'listPets').innerText()).toMatch(/^Success 304/);
  expect(await operation(page, 'listPets').locator('.body').isVisible()).toBe(false);
});

test.each(['listPets', 'createPet'])(
  '%s that the service does not answer is sent again by itself once it does',
  async (name) => {
    const { page, complaints } = await open('/docs');
    await giveKey(page, gateway.key);
    await tryOut(page, name);
    await page.route('**/*', (route) => route.abort());
    await operation(page, name).getByRole('button', { name: 'Send' }).click();
    await expect
      .poll(() => outcome(page, name).innerText())
      .toBe('The service does not respond. The request will be sent again when it does.');
    await expect.poll(() => page.locator('#outage').innerText()).toContain('does not respond');
    await page.unroute('**/*');
    await outcome(page, name).getByText('Success').waitFor();
    expect(await page.locator('#outage').innerText()).toBe('');
    complaints.splice(0);
  },
);

test('a request that might do something twice is not sent again', async () => {
  const { page, complaints, requests } = await open('/docs');
  await giveKey(page, gateway.key);
  await tryOut(page, 'createPet');
  await operation(page, 'createPet').getByLabel('Idempotency-Key').fill('');
  await page.route('**/*', (route) => route.abort());
  await operation(page, 'createPet').getByRole('button', { name: 'Send' }).click();
  await expect
    .poll(() => outcome(page, 'createPet').innerText())
    .toBe('The service does not respond. Whether the request took effect is unknown.');
  await page.unroute('**/*');
  await expect.poll(() => page.locator('#outage').innerText(), { timeout: 10_000 }).toBe('');
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  complaints.splice(0);
});

test('a header that can not be sent is told, and nothing is sent', async () => {
  const { page, requests } = await open('/docs');
  await tryOut(page, 'listPets');
  await operation(page, 'listPets').getByLabel('If-None-Match').fill('→');
  const before = requests.length;
  await operation(page, 'listPets').getByRole('button', { name: 'Send' }).click();
  await outcome(page, 'listPets').getByText('Not sent: ').waitFor();
  expect(requests.slice(before)).toEqual([]);
});
