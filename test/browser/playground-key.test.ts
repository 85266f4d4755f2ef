import { generateApiKey } from '../support/store-database.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const WIDTHS = [1280, 768, 390];
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

/** Waits until the focus is in the key's field, which is in sight with the sentence beside it. */
async function expectDemand(page: Page, sentence: string): Promise<void> {
  const isFocused = () => page.evaluate("document.activeElement.id === 'api-key'");
  await expect.poll(isFocused).toBe(true);
  const status = page.getByRole('status').filter({ hasText: sentence });
  await status.waitFor();
  const height = page.viewportSize()?.height ?? 0;
  for (const part of [page.getByLabel('API key'), status]) {
    const box = await part.boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
  }
  expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
}

test.each(WIDTHS)(
  'at %i px a run without a key leads to its field, and asks nothing',
  async (width) => {
    const { page, requests } = await openPlayground(open, '/graphql', {
      viewport: { width, height: 700 },
    });
    await page.getByRole('button', { name: 'Execute query' }).click();
    await line(page, 'response.json', 'Enter an API key').waitFor();
    await expectDemand(page, 'Every operation needs an API key. Create one');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    await page.keyboard.insertText(gateway.key);
    await page.getByText('This key works.').waitFor();
    // It was about the key that was not there.
    await line(page, 'response.json', 'Enter an API key').waitFor({ state: 'detached' });
  },
);

test.each(WIDTHS)(
  'at %i px a run with a wrong key leads to its field, and asks nothing',
  async (width) => {
    const { page, requests, complaints } = await openPlayground(open, '/graphql', {
      viewport: { width, height: 700 },
    });
    await page.getByLabel('API key').fill(generateApiKey());
    await page.getByRole('status').filter({ hasText: 'The API key is not valid' }).waitFor();
    expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
    await page.getByRole('button', { name: 'Execute query' }).click();
    await expectDemand(page, 'The API key is not valid');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  },
);

test('a run with a key that has been revoked since it was checked leads to its field', async () => {
  const { page, complaints } = await openPlayground(open);
  await typeKey(page, gateway.key);
  const authorization = `Bearer ${generateApiKey()}`;
  await page.route(/\/(?:graphql|key)$/, (route) =>
    route.continue({ headers: { ...route.request().headers(), authorization } }),
  );
  await page.getByRole('button', { name: 'Execute query' }).click();
  await expectDemand(page, 'The API key is not valid');
  expect(complaints.splice(0)).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
});

test('a run while the key is checked waits for the outcome', async () => {
  const { page, requests } = await openPlayground(open);
  const held = Promise.withResolvers<void>();
  await page.route('**/key', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByLabel('API key').fill(gateway.key);
  await page.getByText('Checking the key…').waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  held.resolve();
  await line(page, 'response.json', '"data"').waitFor();
});
