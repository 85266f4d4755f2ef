import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '@store-gateway/ops/command-line';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test/browser/support/chromium.ts';
import { waitForPlayground } from '../test/browser/support/playground.ts';
import { startCountingProxy } from './counting-proxy.ts';

const ROUNDS = 5;
/** Number of visits. Only from the third visit on may Chromium have compiled code. */
const VISITS = 3;
/** Milliseconds to wait for Monaco's workers, which load after the page can be used. */
const QUIET_MS = 1500;

interface Machine {
  readonly name: string;
  readonly slowdown: number;
  /** Bytes a second, and milliseconds. */
  readonly network: { readonly bandwidth: number; readonly latency: number } | undefined;
}

const MACHINES: readonly Machine[] = [
  { name: 'this machine', slowdown: 1, network: undefined },
  { name: 'slow', slowdown: 4, network: { bandwidth: 1.25e6, latency: 40 } },
];

interface MeasuredPage {
  /** Relative to the service's address. */
  readonly path: string;
  /** Does something on the page, and waits for the outcome. */
  readonly use: (page: Page) => Promise<void>;
  /** Waits for the parts of the page that load later, if any. */
  readonly waitForRest?: (page: Page) => Promise<void>;
}

const PAGES: readonly MeasuredPage[] = [
  { path: '', use: enterKey },
  { path: 'docs', use: search },
  { path: 'graphql', use: runQuery, waitForRest: waitForPlayground },
];

/** A visit's figures, in kilobytes and milliseconds. */
type Visit = readonly [transferred: number, firstPaint: number, used: number, complete: number];

/** Measures medians of the first visits of new browsers, and of their next visits. */
export async function measurePages(base: URL): Promise<string> {
  const proxy = await startCountingProxy(base);
  const browser = await launchChromium();
  const rows = [['page', 'browser', 'visit', 'kB', 'first paint, ms', 'used, ms', 'complete, ms']];
  try {
    for (const measured of PAGES) {
      const { pathname } = new URL(measured.path, base);
      for (const machine of MACHINES) {
        const rounds: (readonly Visit[])[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const address = `http://${proxy.host}${pathname}`;
          rounds.push(
            await visitAgainAndAgain(browser, machine, address, measured, proxy.takeBytes),
          );
        }
        for (let visit = 0; visit < VISITS; visit += 1) {
          const visits = rounds.flatMap((round) => round.slice(visit, visit + 1));
          rows.push([pathname, machine.name, String(visit + 1), ...medians(visits)]);
        }
      }
    }
    return table(rows);
  } finally {
    await browser.close();
    proxy.close();
  }
}

/** Enters an invalid key, which the page reports without sending a request. */
async function enterKey(page: Page): Promise<void> {
  await page.getByLabel('API key').fill('x');
  await page.locator('#api-key-status', { hasText: 'key' }).waitFor();
}

async function search(page: Page): Promise<void> {
  await page.locator('search input').fill('status');
  await page.getByText(/^\d+ found$/).waitFor();
}

/** Types a query and runs it without a key, which the page reports without sending a request. */
async function runQuery(page: Page): Promise<void> {
  await page.locator('button[aria-label^="Execute query"]:enabled').waitFor();
  // The plain editor's, or GraphiQL's if that has loaded first.
  await page.locator('#query, [data-uri$="operation.graphql"] textarea').first().focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{ __typename }');
  await page.keyboard.press('Control+Enter');
  await page.locator('#root, #plain-editor').getByText('Enter an API key').first().waitFor();
}

async function visitAgainAndAgain(
  browser: Browser,
  { slowdown, network }: Machine,
  address: string,
  { use, waitForRest }: MeasuredPage,
  takeBytes: () => number,
): Promise<readonly Visit[]> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  if (network !== undefined) {
    const { bandwidth, latency } = network;
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      downloadThroughput: bandwidth,
      uploadThroughput: bandwidth,
      latency,
    });
  }
  const visits: Visit[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    await page.goto(address, { waitUntil: 'commit' });
    await use(page);
    const used = await now(page);
    await waitForRest?.(page);
    const complete = await now(page);
    const firstPaint = Number(
      await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
      ),
    );
    await sleep(QUIET_MS);
    visits.push([takeBytes() / 1000, firstPaint, used, complete]);
    await page.goto('about:blank');
  }
  return visits;
}

/** Milliseconds since the visit began. */
async function now(page: Page): Promise<number> {
  return Number(await page.evaluate('performance.now()'));
}

function medians(visits: readonly Visit[]): string[] {
  return [0, 1, 2, 3].map((column) => {
    const sorted = visits.map((visit) => visit[column] ?? Number.NaN).toSorted((a, b) => a - b);
    return String(Math.round(sorted[sorted.length >> 1] ?? Number.NaN));
  });
}
