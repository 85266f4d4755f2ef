import type { Locator, Page } from 'playwright-core';

/** The session storage item that holds a pending sign-in. */
const FLOW = 'animal-store-gateway:api-key:sign-in';

/** Returns the page's status line about the key or the sign-in. */
export function keyStatus(page: Page): Locator {
  return page.locator('#api-key-status');
}

/** Opens the identity provider's page. */
export async function beginSignIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Decline' }).waitFor();
}

/** Signs in as a person at the identity provider, and waits until the original page reports the sign-in. */
export async function signIn(page: Page, name = 'Ann'): Promise<void> {
  await beginSignIn(page);
  await page.getByRole('button', { name }).click();
  await keyStatus(page).getByText('Signed in until').waitFor();
}

/** Returns the tab's session storage. */
export function stored(page: Page): Promise<Readonly<Record<string, string>>> {
  return page.evaluate('({ ...sessionStorage })');
}

/**
 * Changes the tab's pending sign-in.
 *
 * @param address the service's URL
 * @returns the `state` of the sign-in
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
