import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { accessibilityIssues } from './support/accessibility-issues.ts';
import { VIEWPORTS } from './support/viewports.ts';
import { focusedEditor, line, openPlayground, typeKey, type Editor } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.post('/v1/pets', { name: 'Orion', categoryId: 1 });

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Presses a key until an editor has the focus. There are about 30 tab stops between any two editors. */
async function pressUntilIn(page: Page, key: string, editor: Editor): Promise<void> {
  for (let presses = 0; (await focusedEditor(page)) !== editor && presses < 50; presses += 1) {
    await page.keyboard.press(key);
  }
  expect(await focusedEditor(page)).toBe(editor);
}

/** Whether a line of the result is visible without scrolling. */
async function isInSight(page: Page, text: string): Promise<boolean> {
  const box = await line(page, 'response.json', text).boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

test.each([1280, 390])(
  'in GraphiQL at %i px, the keyboard alone can enter the key, write and run a query and read the result',
  async (width) => {
    const { page } = await openPlayground(open, '/graphql', { viewport: { width, height: 844 } });
    await page.getByRole('link', { name: 'Guides' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.type(gateway.key);
    await page.getByText('This key works.').waitFor();
    await pressUntilIn(page, 'Tab', 'operation.graphql');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('query { pets { name } }');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => isInSight(page, '"Orion"')).toBe(true);
    await page.keyboard.press('Control+m');
    await pressUntilIn(page, 'Tab', 'response.json');
    expect(await page.locator('.result-window').getAttribute('aria-live')).toBe('polite');
  },
);

test('in GraphiQL on a phone, touch alone can enter the key, write and run a query and read the result', async () => {
  const { page } = await openPlayground(open, '/graphql', PHONE);
  await page.getByLabel('API key').tap();
  await page.keyboard.insertText(gateway.key);
  await page.getByText('This key works.').waitFor();
  await page.getByRole('button', { name: 'New tab' }).tap();
  await line(page, 'operation.graphql', 'query listPets').waitFor({ state: 'detached' });
  await page.locator('[data-uri$="operation.graphql"]').tap();
  await page.keyboard.insertText('query { pets { name } }');
  await page.getByRole('button', { name: 'Execute query' }).tap();
  await expect.poll(() => isInSight(page, '"Orion"')).toBe(true);
});

test('on a phone, the parts of GraphiQL are stacked and as wide as the screen', async () => {
  const { page } = await openPlayground(open, '/graphql', PHONE);
  const parts = [
    '.graphiql-sidebar',
    '.graphiql-query-editor',
    '.graphiql-editor-tool',
    '.result-window',
  ];
  let below = 0;
  for (const part of parts) {
    const box = await page.locator(part).boundingBox();
    expect(box?.width).toBeGreaterThan(350);
    expect(box?.y).toBeGreaterThanOrEqual(below);
    below = (box?.y ?? 0) + (box?.height ?? 0);
  }
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).tap();
  expect((await page.locator('.graphiql-doc-explorer').boundingBox())?.width).toBeGreaterThan(350);
});

test.each(VIEWPORTS)(
  'GraphiQL has no accessibility issues at $name, whichever panel or dialog is open',
  async (viewport) => {
    const { page } = await openPlayground(open, '/graphql?query={pet(id:404){id}}', viewport);
    const run = page.getByRole('button', { name: 'Execute query' });
    const documentation = page.locator('.graphiql-doc-explorer');
    expect(await accessibilityIssues(page)).toEqual([]);
    await typeKey(page, gateway.key);
    await run.click();
    await line(page, 'response.json', 'NOT_FOUND').waitFor();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await documentation.getByText('Query', { exact: true }).click();
    await page.getByRole('button', { name: 'Show Deprecated Fields' }).click();
    expect(await accessibilityIssues(page)).toEqual([]);
    await documentation.getByText('pets', { exact: true }).first().click();
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'listPets', exact: true }).click();
    await line(page, 'operation.graphql', 'query listPets').waitFor();
    await run.click();
    await line(page, 'response.json', '"Orion"').waitFor();
    await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
    await page.locator('[data-field-name="pets"]').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
    await page.getByRole('button', { name: 'Open short keys dialog' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await accessibilityIssues(page)).toEqual([]);
  },
);

test('the focused editor of GraphiQL has an outline', async () => {
  const { page } = await openPlayground(open);
  await line(page, 'operation.graphql', 'query listPets').click();
  expect(await focusedEditor(page)).toBe('operation.graphql');
  const outline = await page.evaluate(
    "getComputedStyle(document.activeElement.closest('.monaco-editor')).outline",
  );
  expect(outline).toMatch(/ solid 3px$/);
});

test('the keyboard can toggle a field in the Explorer, which shows whether it is selected', async () => {
  const { page } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Show GraphiQL Explorer' }).click();
  const field = page.getByRole('button', { name: 'categoryId', exact: true });
  expect(await field.getAttribute('aria-pressed')).toBe('true');
  await field.focus();
  await page.keyboard.press('Enter');
  await line(page, 'operation.graphql', 'categoryId').waitFor({ state: 'detached' });
  await expect.poll(() => field.getAttribute('aria-pressed')).toBe('false');
  await page.getByRole('combobox', { name: 'status' }).selectOption('sold');
  await line(page, 'operation.graphql', 'status: sold').waitFor();
});

test('the open tab of GraphiQL is marked for screen readers', async () => {
  const { page } = await openPlayground(open);
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor();
  const tabs = page.locator('.graphiql-tab-button');
  await expect
    .poll(() => tabs.evaluateAll((all) => all.map((tab) => tab.getAttribute('aria-current'))))
    .toEqual(['false', 'true', 'false']);
});

test('with forced colours, the arrow of the Execute button is visible', async () => {
  const { page } = await openPlayground(open, '/graphql', { forcedColors: 'active' });
  const [button, arrow] = await page.evaluate<[string, string]>(`[
    getComputedStyle(document.querySelector('.graphiql-execute-button')).backgroundColor,
    getComputedStyle(document.querySelector('.graphiql-execute-button svg')).color,
  ]`);
  expect(arrow).not.toBe(button);
});
