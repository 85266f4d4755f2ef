import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

test.each([1280, 390])(
  'at %i px a copied link opens the query and its variables, without the key, and runs nothing',
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
    // Neither the server nor a log sees the query.
    expect(
      requests.filter((request) => /a:pets|a%3Apets/.test(request.split('#')[0] ?? '')),
    ).toEqual([]);
    await typeKey(other, gateway.key);
    await other.getByRole('button', { name: 'Execute query' }).click();
    await line(other, 'response.json', '"a"').waitFor();
  },
);

test('a link that is opened where the page is already open has a tab of its own', async () => {
  const { page } = await openPlayground(open);
  await page.evaluate(`location.href = '${gateway.url}/graphql#query=query+linked{pets{id}}'`);
  await line(page, 'operation.graphql', 'query linked').waitFor();
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual(
    expect.arrayContaining(['linked', 'listPets', 'createPet', 'getPets']),
  );
});

test('where the page has no clipboard, it shows the link', async () => {
  const { page } = await openPlayground(open, '/graphql?query={pets{id}}');
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  const shown = page.waitForEvent('dialog');
  const click = page.getByRole('button', { name: 'Copy link' }).click();
  const dialog = await shown;
  expect(dialog.defaultValue()).toBe(`${gateway.url}/graphql#query=%7Bpets%7Bid%7D%7D`);
  await dialog.dismiss();
  await click;
});
