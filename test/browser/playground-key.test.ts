import { generateApiKey } from '../support/store-database.ts';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

/** Waits until the key's field has the focus, and checks that it and the sentence beside it are visible. */
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

test.each([1280, 768, 390])(
  'in GraphiQL at %i px, running a query without a valid key focuses the key field and sends nothing',
  async (width) => {
    const { page, requests, complaints } = await openPlayground(open, '/graphql', {
      viewport: { width, height: 700 },
    });
    const execute = page.getByRole('button', { name: 'Execute query' });
    await execute.click();
    await line(page, 'response.json', 'Enter an API key').waitFor();
    await expectDemand(page, 'Every operation needs an API key. Create one');
    await page.keyboard.insertText(generateApiKey());
    await page.getByRole('status').filter({ hasText: 'The API key is not valid' }).waitFor();
    expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
    await execute.click();
    await expectDemand(page, 'The API key is not valid');
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    await typeKey(page, gateway.key);
    // The message about the missing key is outdated.
    await line(page, 'response.json', 'Enter an API key').waitFor({ state: 'detached' });
  },
);

test('running a query with a key that was revoked after its check moves the focus to the key field', async () => {
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

test('GraphiQL runs a query only after the API key has been checked', async () => {
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

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

test.each([1280, 390])(
  'at %i px, a copied GraphiQL link opens the query and variables without the key and without running them',
  async (width) => {
    const options = { ...CLIPBOARD, viewport: { width, height: 844 } };
    const { page } = await openPlayground(
      open,
      '/graphql?query=query($id:ID!){a:pets(after:$id){id}}',
      options,
    );
    await typeKey(page, gateway.key);
    await page.locator('[data-uri$="variables.json"]').click();
    await page.keyboard.insertText('{ "id": "20" }');
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('[data-uri$="request-headers.json"]').click();
    await page.keyboard.insertText(`{ "authorization": "Bearer ${gateway.key}" }`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').filter({ hasText: 'Link copied' }).waitFor();
    const link = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(link).not.toContain(gateway.key);

    const { page: other, requests } = await open('/');
    await other.goto(link);
    await waitForPlayground(other);
    await line(other, 'operation.graphql', 'a:pets').waitFor();
    await line(other, 'variables.json', '"20"').waitFor();
    expect(other.url()).toBe(`${gateway.url}/graphql`);
    expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
    // The query is only in the fragment, so neither the server nor a log sees it.
    expect(
      requests.filter((request) => /a:pets|a%3Apets/.test(request.split('#')[0] ?? '')),
    ).toEqual([]);
    await typeKey(other, gateway.key);
    await other.getByRole('button', { name: 'Execute query' }).click();
    await line(other, 'response.json', '"a"').waitFor();
  },
);

test('a copied link that is opened in GraphiQL opens a new GraphiQL tab', async () => {
  const { page } = await openPlayground(open);
  await page.evaluate(`location.href = '${gateway.url}/graphql#query=query+linked{pets{id}}'`);
  await line(page, 'operation.graphql', 'query linked').waitFor();
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual(
    expect.arrayContaining(['linked', 'listPets', 'createPet', 'getPets']),
  );
});

test('if the clipboard is unavailable, Copy link shows the link in a dialog', async () => {
  const { page } = await openPlayground(open, '/graphql?query={pets{id}}');
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  const shown = page.waitForEvent('dialog');
  const click = page.getByRole('button', { name: 'Copy link' }).click();
  const dialog = await shown;
  expect(dialog.defaultValue()).toBe(`${gateway.url}/graphql#query=%7Bpets%7Bid%7D%7D`);
  await dialog.dismiss();
  await click;
});
