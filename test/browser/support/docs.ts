import type { Locator, Page } from 'playwright-core';

/** Returns the section about an operation in the REST documentation. */
export function operation(page: Page, name: string): Locator {
  return page.locator(`[id="/animals/${name}"]`);
}

/** Opens an operation's form. */
export async function tryOut(page: Page, name: string): Promise<void> {
  await operation(page, name).getByText('Try it').click();
}

/** Sends an operation's form, and returns the response body that the page shows. */
export async function send(page: Page, name: string): Promise<string> {
  await operation(page, name).getByRole('button', { name: 'Send' }).click();
  return operation(page, name).getByRole('region', { name: 'Response body' }).innerText();
}
