import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import type { Gateway } from '../../support/gateway.ts';
import { launchChromium } from './chromium.ts';

export interface OpenPage {
  readonly page: Page;
  /**
   * What the page's console told as an error or a warning, and what the page threw. After the test there
   * must be none left: one that the test wants, it takes out with `complaints.splice(0)`.
   */
  readonly complaints: string[];
  /** All requests so far, as method and URL. */
  readonly requests: readonly string[];
}

export type Open = (path: string, options?: BrowserContextOptions) => Promise<OpenPage>;

/**
 * Starts a browser for a test file: at its top, because Vitest ignores hooks that are added inside a test.
 *
 * @param others that pages may ask as well: origins
 * @returns opens a path of the gateway in a context of its own. The context is closed after the test, and
 *   the test fails if the page has complained, or asked anything of another host. A test that failed also
 *   says what the page has asked for in vain.
 */
export async function startBrowser(
  { url }: Pick<Gateway, 'url'>,
  others: readonly string[] = [],
): Promise<Open> {
  expect(expect.getState().currentTestName, 'startBrowser is called inside a test').toBeUndefined();
  const browser = await launchChromium();
  afterAll(() => browser.close());
  const opened: (OpenPage & {
    readonly foreignRequests: readonly string[];
    readonly pending: ReadonlySet<Request>;
  })[] = [];

  afterEach(async ({ task }) => {
    const failed = task.result?.state === 'fail';
    const visits = opened.splice(0).map(({ page, complaints, foreignRequests, pending }) => ({
      page,
      told: {
        complaints: [...complaints],
        foreignRequests: [...foreignRequests],
        unanswered: failed ? Array.from(pending, (request) => request.url()) : [],
      },
    }));
    await Promise.all(
      visits.map(async ({ page }) => {
        // A page may still load something by a route, whose handler then has no page to answer.
        await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.context().close();
      }),
    );
    for (const { told } of visits) {
      expect(told).toEqual({ complaints: [], foreignRequests: [], unanswered: [] });
    }
  });

  return async (path, options = {}) => {
    const context = await browser.newContext(options);
    const [complaints, requests, foreignRequests]: [string[], string[], string[]] = [[], [], []];
    const page = await context.newPage();
    const pending = new Set<Request>();
    opened.push({ page, complaints, requests, foreignRequests, pending });
    const note = (method: string, address: string) => {
      const { protocol, host, origin } = new URL(address);
      // What is inside the page is no request to anybody.
      if (!['blob:', 'data:'].includes(protocol)) {
        requests.push(`${method} ${address}`);
        if (host !== new URL(url).host && !others.includes(origin)) {
          foreignRequests.push(address);
        }
      }
    };
    context.on('request', (request) => {
      pending.add(request);
      note(request.method(), request.url());
    });
    context.on('requestfinished', (request) => pending.delete(request));
    context.on('requestfailed', (request) => pending.delete(request));
    page.on('websocket', (socket) => note('GET', socket.url()));
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        complaints.push(message.text());
      }
    });
    await page.goto(url + path);
    // A page that Chromium takes to be behind another is not painted, and a click waits for a frame.
    await page.bringToFront();
    return { page, complaints, requests };
  };
}
