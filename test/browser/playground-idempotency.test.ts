import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, textOf, typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

/** Returns the Idempotency-Key in the open tab's headers. */
async function idempotencyKey(page: Page): Promise<string> {
  const [, key = ''] =
    /"Idempotency-Key": "([^"]*)"/.exec(await textOf(page, 'request-headers.json')) ?? [];
  return key;
}

test('a GraphiQL tab with a mutation has an Idempotency-Key, which changes after each success', async () => {
  const { page } = await openPlayground(open, '/graphql', {
    viewport: { width: 390, height: 844 },
  });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.headers()['idempotency-key'] ?? ''));
  await typeKey(page, gateway.key);
  expect(await idempotencyKey(page)).toBe('');
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await expect.poll(() => idempotencyKey(page)).toMatch(/^[0-9a-f]{32}$/);
  const first = await idempotencyKey(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Rex"').waitFor();
  await expect.poll(() => idempotencyKey(page)).not.toBe(first);
  const second = await idempotencyKey(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await expect.poll(() => idempotencyKey(page)).not.toBe(second);
  expect(sent.filter((key) => key !== '')).toEqual([first, second]);
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await expect.poll(() => textOf(page, 'request-headers.json')).toBe('');
});

test('a failed mutation keeps its Idempotency-Key in GraphiQL, so a retry is safe', async () => {
  const { page } = await openPlayground(
    open,
    '/graphql?query=mutation{createPet(input:{name:"",categoryId:1}){id}}',
  );
  await typeKey(page, gateway.key);
  await expect.poll(() => idempotencyKey(page)).not.toBe('');
  const key = await idempotencyKey(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'BAD_USER_INPUT').waitFor();
  expect(await idempotencyKey(page)).toBe(key);
});

test("GraphiQL keeps a user's own headers and does not add a removed Idempotency-Key again", async () => {
  const { page } = await openPlayground(open, '/graphql?query={pets{id}}');
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('[data-uri$="request-headers.json"]').click();
  await page.keyboard.insertText('{ "x-mine": "1" }');
  await line(page, 'operation.graphql', 'pets').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('mutation { createPet(input: {}) { id } }');
  await expect.poll(() => idempotencyKey(page)).not.toBe('');
  expect(await textOf(page, 'request-headers.json')).toContain('"x-mine": "1"');
  await page.locator('[data-uri$="request-headers.json"]').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await line(page, 'operation.graphql', 'createPet').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('mutation again { createPet(input: {}) { id } }');
  await page.getByRole('button', { name: 'again', exact: true }).waitFor();
  expect(await textOf(page, 'request-headers.json')).toBe('');
});

test.each([
  'query createPet { pets { id } }',
  'mutation createPet { __typename }',
  'mutation { createPet(input: {}, idempotencyKey: "mine") { id } }',
  '# mutation { createPet(input: {}) }\nquery { pets { id } }',
])('GraphiQL does not add an Idempotency-Key to %s', async (query) => {
  const { page } = await openPlayground(open, `/graphql?query=${encodeURIComponent(query)}`);
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Mutation', { exact: true }).waitFor();
  expect(await textOf(page, 'request-headers.json')).toBe('');
});
