import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { line, openPlayground, typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);

async function run(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Execute query' }).click();
}

/** Whether a part of the page is visible without scrolling. */
async function isInSight(page: Page, part: string): Promise<boolean> {
  const box = await page.locator(part).first().boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

test.each([1280, 768, 390])(
  'in GraphiQL at %i px, the response’s status and time are visible, and a click shows its headers',
  async (width) => {
    const { page } = await openPlayground(open, '/graphql?query={pets{id}}', {
      viewport: { width, height: 800 },
    });
    const bar = page.locator('.response-bar');
    expect(await bar.isVisible()).toBe(false);
    await typeKey(page, gateway.key);
    await run(page);
    await line(page, 'response.json', '"data"').waitFor();
    await expect.poll(() => isInSight(page, '.response-bar summary')).toBe(true);
    expect(await bar.locator('summary').innerText()).toMatch(/^200 OK · \d+ ms · Headers$/);
    await bar.locator('summary').click();
    await bar.getByText('content-type: application/json').waitFor();
    expect(await bar.innerText()).toContain('x-request-id: ');
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

test('each GraphiQL tab shows the status of its own response', async () => {
  const { page } = await openPlayground(open, '/graphql?query=query wrong{cats}');
  await typeKey(page, gateway.key);
  const status = page.locator('.response-status');
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await line(page, 'operation.graphql', 'query listPets').waitFor();
  await run(page);
  await status.getByText('200 OK').waitFor();
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await expect.poll(() => status.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await status.getByText('200 OK').waitFor();
});

test.each([1280, 390])(
  'in GraphiQL at %i px, a sentence reports an outage and disappears when the outage ends',
  async (width) => {
    const { page, complaints } = await openPlayground(open, '/graphql?query={pets{id}}', {
      viewport: { width, height: 844 },
    });
    await typeKey(page, gateway.key);
    await run(page);
    await line(page, 'response.json', '"data"').waitFor();
    await page.route(/graphql$|livez$|v1/, (route) => route.abort('connectionrefused'));
    await run(page);
    await line(page, 'response.json', '"message"').waitFor();
    const response = await page.locator('[data-uri$="response.json"] .view-lines').innerText();
    expect(response.replaceAll(/\s/g, '')).toBe(
      '{"errors":[{"message":"Theservicedidnotrespond."}]}',
    );
    await page.getByText('The service does not respond. This page continues').waitFor();
    await expect.poll(() => isInSight(page, '.result-window .view-line')).toBe(true);
    expect(await page.getByText('This key works.').count()).toBe(0);
    expect(await page.locator('.response-bar').isVisible()).toBe(false);
    await page.unroute(/graphql$|livez$|v1/);
    await page.getByText('This key works.').waitFor();
    await line(page, 'response.json', '"message"').waitFor({ state: 'detached' });
    await run(page);
    await line(page, 'response.json', '"data"').waitFor();
    expect(complaints.splice(0).every((complaint) => complaint.includes('ERR_CONNECTION'))).toBe(
      true,
    );
  },
);

test('if GraphiQL cannot load the schema because of an outage, it loads the schema afterwards', async () => {
  const { page, complaints } = await open('/');
  await page.route(/introspection|livez$/, (route) => route.abort('connectionrefused'));
  await page.goto(`${gateway.url}/graphql`);
  await page.getByText('The service does not respond. This page continues').waitFor();
  await page.unroute(/introspection|livez$/);
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).waitFor();
  expect(complaints.splice(0)).toContain('Failed to load resource: net::ERR_CONNECTION_REFUSED');
});

test("GraphiQL treats a proxy's 502 as an outage", async () => {
  const { page, complaints } = await openPlayground(open, '/graphql?query={pets{id}}');
  await typeKey(page, gateway.key);
  await page.route('**/livez', (route) => route.fulfill({ status: 502 }), { times: 1 });
  await page.route('**/graphql', (route) => route.fulfill({ status: 502, body: '<h1>Bad</h1>' }));
  await run(page);
  await line(page, 'response.json', 'The service did not respond.').waitFor();
  await page.locator('.response-status').getByText('502 Bad Gateway').waitFor();
  await line(page, 'response.json', '"message"').waitFor({ state: 'detached' });
  expect(complaints.splice(0)).toEqual([
    expect.stringContaining('502'),
    expect.stringContaining('502'),
  ]);
});

test("GraphiQL reports in a sentence that a proxy's page is not a response from the service", async () => {
  const { page, complaints } = await openPlayground(open, '/graphql?query={pets{id}}');
  await typeKey(page, gateway.key);
  await page.route('**/graphql', (route) => route.fulfill({ status: 403, body: '<h1>No</h1>' }));
  await run(page);
  await line(page, 'response.json', 'The response, 403, is not from the service.').waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('403')]);
});
