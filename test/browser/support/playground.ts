import type { Locator, Page } from 'playwright-core';
import type { Open, OpenPage } from './browser.ts';

/** A GraphiQL editor, identified by its model's file name. */
export type Editor =
  | 'operation.graphql'
  | 'variables.json'
  | 'request-headers.json'
  | 'response.json';

/** Returns the visible lines of an editor that contain a text. */
export function line(page: Page, editor: Editor, text: string): Locator {
  return page.locator(`[data-uri$="${editor}"] .view-line`, { hasText: text });
}

/** Returns an editor's text. */
export async function textOf(page: Page, editor: Editor): Promise<string> {
  return String(
    await page.evaluate(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('${editor}')).getValue()`,
    ),
  );
}

/** Opens the playground, and waits until GraphiQL is loaded. */
export async function openPlayground(
  open: Open,
  ...[path = '/graphql', options]: Partial<Parameters<Open>>
): Promise<OpenPage> {
  const opened = await open(path, options);
  await waitForPlayground(opened.page);
  return opened;
}

export async function waitForPlayground(page: Page): Promise<void> {
  await page.locator('[data-uri$="operation.graphql"] .view-line').first().waitFor();
  await page.getByRole('button', { name: 'Execute query' }).waitFor();
}

/** Enters a valid key into the page's field, and waits until it has been checked. */
export async function typeKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByText('This key works.').waitFor();
}

/** Returns the file name of the focused editor's model, or an empty string if no editor has the focus. */
export async function focusedEditor(page: Page): Promise<string> {
  return String(
    await page.evaluate(`(() => {
      const { activeElement } = document;
      const editor = activeElement.closest('.graphiql-editor, .result-window');
      return editor?.querySelector('[data-uri]').dataset.uri.split('-').slice(1).join('-') ?? '';
    })()`),
  );
}
