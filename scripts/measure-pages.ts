import { setTimeout as sleep } from 'node:timers/promises';
import { table } from '@store-gateway/command-line/table';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/browser/support/chromium.ts';
import { waitForPlayground } from '../test/browser/support/playground.ts';
import { startCountingProxy } from './counting-proxy.ts';

const ROUNDS = 5;
/** The third visit is the first one for which Chromium may have compiled code. */
const VISITS = 3;
/** Monaco's workers come after the page can be used. */
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

/** Kilobytes, and milliseconds. */
type Visit = readonly [transferred: number, firstPaint: number, usable: number];

/** The medians of visits by browsers that have not been there, and their next visits. */
export async function measurePage(url: URL): Promise<string> {
  const proxy = await startCountingProxy(url);
  const browser = await launchChromium();
  const rows = [['browser', 'visit', 'kB', 'first paint, ms', 'usable, ms']];
  try {
    for (const machine of MACHINES) {
      const rounds: (readonly Visit[])[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const address = `http://${proxy.host}${url.pathname}`;
        rounds.push(await visitAgainAndAgain(browser, machine, address, proxy.takeBytes));
      }
      for (let visit = 0; visit < VISITS; visit += 1) {
        const visits = rounds.flatMap((round) => round.slice(visit, visit + 1));
        rows.push([machine.name, String(visit + 1), ...medians(visits)]);
      }
    }
    return table(rows);
  } finally {
    await browser.close();
    proxy.close();
  }
}

async function visitAgainAndAgain(
  browser: Browser,
  { slowdown, network }: Machine,
  address: string,
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
    await waitForPlayground(page);
    const usable = Number(await page.evaluate('performance.now()'));
    const firstPaint = Number(
      await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
      ),
    );
    await sleep(QUIET_MS);
    visits.push([takeBytes() / 1000, firstPaint, usable]);
    await page.goto('about:blank');
  }
  return visits;
}

function medians(visits: readonly Visit[]): string[] {
  return [0, 1, 2].map((column) => {
    const sorted = visits.map((visit) => visit[column] ?? Number.NaN).toSorted((a, b) => a - b);
    return String(Math.round(sorted[sorted.length >> 1] ?? Number.NaN));
  });
}
