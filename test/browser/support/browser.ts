import type { BrowserContextOptions, Page, Request } from 'playwright-core';
import { afterAll, afterEach, expect } from 'vitest';
import type { Gateway } from '../../support/gateway.ts';
import { launchChromium } from './chromium.ts';

export interface OpenPage {
  readonly page: Page;
  /**
   * The errors and warnings in the page's console, and the exceptions that the page threw. A test fails if any are
   * left at its end; it removes the ones that it expects with `complaints.splice(0)`.
   */
  readonly complaints: string[];
  /** All requests so far, as method and URL. */
  readonly requests: readonly string[];
}

export type Open = (path: string, options?: BrowserContextOptions) => Promise<OpenPage>;

/**
 * Starts a browser for a test file. Call this at the top of the file, because Vitest ignores hooks added inside a test.
 *
 * @param others additional origins to which pages may send requests
 * @returns a function that opens a path of the gateway in a new browser context. The context is closed after the test,
 *   and the test fails if there are complaints or requests to other hosts. A failed test also lists the requests
 *   without a response.
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
        // A route's handler may still be running, and then finds its page closed.
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
      // Blobs and data URLs are part of the page and are not sent to any host.
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
    // Chromium does not paint a page that it considers to be in the background, and a click waits for a frame.
    await page.bringToFront();
    return { page, complaints, requests };
  };
}
