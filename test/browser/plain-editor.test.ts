import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { startBrowser } from './support/browser.ts';
import { focusedEditor, line, textOf, typeKey, waitForPlayground } from './support/playground.ts';
import { VIEWPORTS } from './support/viewports.ts';

const LARGEST = '9223372036854775807';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.post('/v1/pets', `{ "name": "Crux", "categoryId": ${LARGEST} }`);

/** Opens the page without GraphiQL, which is loaded after a call of `letGo`. */
async function openWithoutGraphiQL(...[path, options]: Parameters<typeof open>) {
  const opened = await open('/', options);
  const { page } = opened;
  const held = Promise.withResolvers<void>();
  await page.route('**/graphiql.js?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(gateway.url + path, { waitUntil: 'commit' });
  // The plain editor's script has been loaded.
  await page.locator('#plain-editor button:enabled').waitFor();
  const letGo = async () => {
    held.resolve();
    await waitForPlayground(page);
  };
  return { ...opened, held, letGo };
}

const response = (page: Page) => page.locator('output[name="response.json"]');
const run = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click();

test('before GraphiQL is loaded, a query with variables runs and its response is shown with all digits', async () => {
  const { page, letGo } = await openWithoutGraphiQL('/graphql');
  await typeKey(page, gateway.key);
  const query = 'mutation($pet:NewPet!){createPet(input:$pet){categoryId}}';
  const variables = `{"pet":{"name":"Lupus","categoryId":${LARGEST}}}`;
  await page.getByLabel('Query', { exact: true }).fill(query);
  await page.getByLabel('Variables').fill(variables);
  await page.keyboard.press('Control+Enter');
  await response(page).getByText(LARGEST).waitFor();
  await page.locator('.response-status', { hasText: '200 OK' }).waitFor();
  await letGo();
  expect(await textOf(page, 'operation.graphql')).toBe(query);
  expect(await textOf(page, 'variables.json')).toBe(variables);
  expect(await textOf(page, 'response.json')).toContain(LARGEST);
  await page.locator('.response-status', { hasText: '200 OK' }).waitFor();
});

test('when GraphiQL is loaded while a user types, its editor takes over without losing a letter', async () => {
  const { page, held } = await openWithoutGraphiQL('/graphql?query={pets{id}}');
  const field = page.getByLabel('Query', { exact: true });
  await field.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# Letters: ');
  held.resolve();
  const typed = Array.from({ length: 60 }, (_, index) => String(index % 10)).join('');
  await page.keyboard.type(typed, { delay: 40 });
  await waitForPlayground(page);
  expect(await focusedEditor(page)).toBe('operation.graphql');
  await page.keyboard.type('end');
  await expect
    .poll(() => textOf(page, 'operation.graphql'))
    .toBe(`# Letters: ${typed}end{pets{id}}`);
});

test('a mutation has an Idempotency-Key before GraphiQL is loaded, and keeps it afterwards', async () => {
  const { page, letGo } = await openWithoutGraphiQL('/graphql');
  const headers = page.getByLabel('Headers', { exact: true });
  await page.getByLabel('Query', { exact: true }).fill('mutation { createPet(input: {}) { id } }');
  await expect.poll(() => headers.inputValue()).toMatch(/"Idempotency-Key": "[0-9a-f]{32}"/);
  const [key = ''] = /[0-9a-f]{32}/.exec(await headers.inputValue()) ?? [];
  await letGo();
  expect(await textOf(page, 'request-headers.json')).toContain(key);
});

test('an Idempotency-Key that is removed before GraphiQL is loaded is not added again', async () => {
  const { page, letGo } = await openWithoutGraphiQL('/graphql');
  const headers = page.getByLabel('Headers', { exact: true });
  await page.getByLabel('Query', { exact: true }).fill('mutation { createPet(input: {}) { id } }');
  await expect.poll(() => headers.inputValue()).toContain('Idempotency-Key');
  await headers.fill('');
  await letGo();
  await line(page, 'operation.graphql', 'createPet').waitFor();
  expect(await textOf(page, 'request-headers.json')).toBe('');
});

test('a query and variables that are written before GraphiQL is loaded survive a reload', async () => {
  const { page, letGo } = await openWithoutGraphiQL('/graphql');
  const query = page.getByLabel('Query', { exact: true });
  const variables = page.getByLabel('Variables');
  await query.fill('query($after:Int){pets(after:$after){id}}');
  await variables.fill('{"after":20}');
  await page.getByLabel('Headers', { exact: true }).fill('{"X-Own":"1"}');
  await page.locator('#plain-editor button:enabled').waitFor();
  await page.reload({ waitUntil: 'commit' });
  await expect.poll(() => query.inputValue()).toBe('query($after:Int){pets(after:$after){id}}');
  expect(await variables.inputValue()).toBe('{"after":20}');
  await letGo();
  expect(await textOf(page, 'operation.graphql')).toBe('query($after:Int){pets(after:$after){id}}');
  expect(await textOf(page, 'variables.json')).toBe('{"after":20}');
  // Headers are not stored, because they may contain a key.
  expect(await textOf(page, 'request-headers.json')).toBe('');
});

test('the focus stays on a response’s headers when GraphiQL is loaded', async () => {
  const { page, letGo } = await openWithoutGraphiQL('/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  await run(page);
  await response(page).getByText('"Crux"').waitFor();
  await page.locator('.response-bar summary').focus();
  await page.keyboard.press('Enter');
  await letGo();
  expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
  await page.getByRole('region', { name: 'Response headers' }).waitFor();
});

test('before GraphiQL is loaded, invalid headers and variables are reported and not sent', async () => {
  const { page, requests, letGo } = await openWithoutGraphiQL('/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  const headers = page.getByLabel('Headers', { exact: true });
  await headers.fill('{ "X Own": "1" }');
  await run(page);
  await response(page).getByText('Invalid name').waitFor();
  await headers.fill('');
  await page.getByLabel('Variables').fill('{ after: 20 }');
  await run(page);
  await response(page).getByText('Variables and headers must be JSON objects.').waitFor();
  await page.getByLabel('Variables').fill('');
  await run(page);
  await response(page).getByText('"Crux"').waitFor();
  expect(requests.filter((sent) => sent.startsWith('POST'))).toHaveLength(1);
  await page.getByLabel('Variables').fill('{ after: 20 }');
  await letGo();
  await line(page, 'variables.json', 'after').waitFor();
});

test('queries run even if GraphiQL fails to load', async () => {
  const { page, complaints } = await open('/');
  await page.route('**/graphiql.js?*', (route) => route.abort());
  await page.goto(`${gateway.url}/graphql?query={pets{name}}`);
  await typeKey(page, gateway.key);
  await run(page);
  await response(page).getByText('"Crux"').waitFor();
  expect(complaints.splice(0)).not.toEqual([]);
});

test('without JavaScript, /graphql says below its header that it requires JavaScript', async () => {
  const { page } = await open('/graphql', { javaScriptEnabled: false });
  const header = await page.locator('header').boundingBox();
  const box = await page.locator('noscript p').boundingBox();
  expect((box?.y ?? Infinity) - (header?.height ?? 0)).toBeLessThan(50);
});

test.each(VIEWPORTS)(
  'before GraphiQL is loaded, /graphql has no accessibility issues at $name',
  async (viewport) => {
    const { page, letGo } = await openWithoutGraphiQL('/graphql?query={pets{name}}', viewport);
    await typeKey(page, gateway.key);
    await run(page);
    await response(page).getByText('"Crux"').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await letGo();
    await line(page, 'response.json', '"Crux"').waitFor();
  },
);
