import type { Page } from 'playwright-core';

/**
 * Serves the gateway to a page below a prefix, too, as a proxy that strips it would.
 *
 * @returns the address of the service below the prefix
 */
export async function mountBelowPrefix(page: Page, url: string): Promise<string> {
  const prefix = `${url}/store/`;
  await page.route(`${prefix}**`, async (route) => {
    const target = route.request().url().replace(prefix, `${url}/`);
    await route.fulfill({ response: await route.fetch({ url: target }) });
  });
  return prefix;
}
