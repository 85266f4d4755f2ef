import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { seriousViolations, startBrowser } from './support/browser.ts';
import { focusedEditor, line, openPlayground, typeKey, type Editor } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.post('/v1/pets', { name: 'Orion', categoryId: 1 });

/** Presses a key until the keyboard is in an editor: there are some 30 things between any two. */
async function pressUntilIn(page: Page, key: string, editor: Editor): Promise<void> {
  for (let presses = 0; (await focusedEditor(page)) !== editor && presses < 50; presses += 1) {
    await page.keyboard.press(key);
  }
  expect(await focusedEditor(page)).toBe(editor);
}

test('the keyboard alone suffices: give the key, run a query, read the result', async () => {
  const { page } = await openPlayground(open);
  await pressUntilIn(page, 'Tab', 'request-headers.json');
  await page.keyboard.press('Enter');
  await page.keyboard.type(gateway.key);
  await pressUntilIn(page, 'Shift+Tab', 'operation.graphql');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await line(page, 'response.json', '"Orion"').waitFor();
  await page.keyboard.press('Control+m');
  await pressUntilIn(page, 'Tab', 'response.json');
  expect(await page.locator('.result-window').getAttribute('aria-live')).toBe('polite');
});

test.each(['light', 'dark'] as const)(
  'axe finds nothing serious on the page when it is %s, with or without a key, and with any result',
  async (colorScheme) => {
    const { page } = await openPlayground(open, '/graphql?query={pet(id:404){id}}', {
      colorScheme,
    });
    const run = page.getByRole('button', { name: 'Execute query' });
    expect(await seriousViolations(page)).toEqual([]);
    await typeKey(page, gateway.key);
    await run.click();
    await line(page, 'response.json', 'NOT_FOUND').waitFor();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).click();
    await page.getByRole('button', { name: 'Show Deprecated Fields' }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'listPets', exact: true }).click();
    await line(page, 'operation.graphql', '# Ctrl-Enter').waitFor();
    await run.click();
    await line(page, 'response.json', '"Orion"').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  },
);

test('a screen reader meets the buttons of the tabs, and hears which one is open', async () => {
  const { page } = await openPlayground(open);
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor();
  const tabs = page.locator('.graphiql-tab-button');
  await expect
    .poll(() => tabs.evaluateAll((all) => all.map((tab) => tab.getAttribute('aria-current'))))
    .toEqual(['false', 'true', 'false']);
});
