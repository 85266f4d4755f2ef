import type { Locator, Page } from 'playwright-core';

/** The part of the REST documentation about an operation. */
export function operation(page: Page, name: string): Locator {
  return page.locator(`[id="/animals/${name}"]`);
}

/** Opens the form of an operation. */
export async function tryOut(page: Page, name: string): Promise<void> {
  await operation(page, name).getByText('Try it').click();
}

/** Sends the form of an operation, and gives the body that the page shows. */
export async function send(page: Page, name: string): Promise<string> {
  await operation(page, name).getByRole('button', { name: 'Send' }).click();
  return operation(page, name).getByRole('region', { name: 'Response body' }).innerText();
}
