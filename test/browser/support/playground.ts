import type { Locator, Page } from 'playwright-core';
import type { Open, OpenPage } from './browser.ts';

/** An editor of GraphiQL, by the name that it gives its text. */
export type Editor =
  | 'operation.graphql'
  | 'variables.json'
  | 'request-headers.json'
  | 'response.json';

/** A line of an editor that holds this text, as a user sees it. */
export function line(page: Page, editor: Editor, text: string): Locator {
  return page.locator(`[data-uri$="${editor}"] .view-line`, { hasText: text });
}

/** What GraphiQL has in an editor. */
export async function textOf(page: Page, editor: Editor): Promise<string> {
  return String(
    await page.evaluate(
      `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('${editor}')).getValue()`,
    ),
  );
}

/** Opens the playground, and waits until GraphiQL has come. */
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

/** Puts a key that works into the page's field. */
export async function typeKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByText('This key works.').waitFor();
}

/** Where the keyboard is: the name of an editor's text, or an empty one. */
export async function focusedEditor(page: Page): Promise<string> {
  return String(
    await page.evaluate(`(() => {
      const { activeElement } = document;
      const editor = activeElement.closest('.graphiql-editor, .result-window');
      return editor?.querySelector('[data-uri]').dataset.uri.split('-').slice(1).join('-') ?? '';
    })()`),
  );
}
