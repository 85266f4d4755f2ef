import type { Locator, Page } from 'playwright-core';

/** The item of the session storage for a sign-in under way. */
const FLOW = 'animal-store-gateway:api-key:sign-in';

/** What the page says of the key, or of who has signed in. */
export function keyStatus(page: Page): Locator {
  return page.locator('#api-key-status');
}

/** Goes to the identity provider. */
export async function beginSignIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Decline' }).waitFor();
}

/** Signs in as somebody whom the identity provider knows, and waits until the page that one came from says so. */
export async function signIn(page: Page, name = 'Ann'): Promise<void> {
  await beginSignIn(page);
  await page.getByRole('button', { name }).click();
  await keyStatus(page).getByText('Signed in until').waitFor();
}

/** What the tab's session storage has. */
export function stored(page: Page): Promise<Readonly<Record<string, string>>> {
  return page.evaluate('({ ...sessionStorage })');
}

/**
 * Changes what the tab knows of the sign-in under way.
 *
 * @param address of the service
 * @returns its state
 */
export async function changeSignIn(
  page: Page,
  address: string,
  change: Readonly<Record<string, string>> = {},
): Promise<string> {
  await page.goto(`${address}/guides`);
  const { [FLOW]: flow = '' } = await stored(page);
  await page.evaluate(
    `sessionStorage.setItem('${FLOW}', JSON.stringify({ ...${flow}, ...${JSON.stringify(change)} }))`,
  );
  return /"state":"([^"]+)"/.exec(flow)?.[1] ?? '';
}
