import type { Locator, Page } from 'playwright-core';
import type { Open, OpenPage } from './browser.ts';

/** An editor of GraphiQL, by the name that it gives its text. */
export type Editor = 'operation.graphql' | 'request-headers.json' | 'response.json';

/** A line of an editor that holds this text, as a user sees it. */
export function line(page: Page, editor: Editor, text: string): Locator {
  return page.locator(`[data-uri$="${editor}"] .view-line`, { hasText: text });
}

/** Opens the playground, and waits until it can be used. */
export async function openPlayground(
  open: Open,
  ...[path = '/graphql', options]: Partial<Parameters<Open>>
): Promise<OpenPage> {
  const opened = await open(path, options);
  await line(opened.page, 'request-headers.json', 'Bearer').waitFor();
  return opened;
}

/** Types a key, or what shall be one, behind "Bearer ". */
export async function typeKey(page: Page, key: string): Promise<void> {
  await line(page, 'request-headers.json', '"Bearer').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(key);
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
