import { gateway as gatewayOfStore } from '../src/gateway.ts';
import { store } from '../test/support/store.ts';
import { startDatabase } from '../test/support/store-database.ts';
import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { createApp } from '../packages/gateway/src/app/app.ts';
import { createDatabaseHealth } from '../packages/gateway/src/app/database-health.ts';
import { listen } from '@gateway/http-server/listen';
import { createKey } from '../packages/gateway/src/auth/key-records.ts';
import { readConfig } from '../packages/gateway/src/config/config.ts';
import { log } from '@gateway/log/log';
import { createRateLimits } from '@gateway/rate-limits/rate-limits';
import { createDeprecatedCalls } from '../packages/gateway/src/usage/deprecated-calls.ts';
import { launchChromium } from '../test/browser/support/chromium.ts';
import { VIEWPORTS } from '../test/browser/support/viewports.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { VIEWS } from './views.ts';

const ALL = new URL('../screenshots/', import.meta.url);
const OF_THE_DOCS = new URL('../docs/images/', import.meta.url);
/** The pictures that the docs show, by the name of their view. */
const SHOWN = ['landing', 'docs', 'graphiql'];
const SHOWN_LOOK = '1280-light';

const ANIMALS = [
  { name: 'Rex', categoryId: 1n, status: 'available' },
  { name: 'Luna', categoryId: 1n, status: 'pending' },
  { name: 'Milo', categoryId: 2n, status: 'available' },
] as const;

/** Pictures every page at every size, light and dark, of a service with animals that it starts for this. */
export async function takeScreenshots(): Promise<string> {
  log.level = 'silent';
  await using directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path });
  const { database, stop } = await startDatabase(config);
  try {
    await database.pet.createMany({ data: [...ANIMALS] });
    const key = await createKey(database, 'screenshots', null);
    const world = { database, deprecatedCalls: createDeprecatedCalls(database), now: Date.now };
    const rateLimits = createRateLimits(database.$rateLimitCounts, config, () => performance.now());
    const health = createDatabaseHealth(database);
    const { listener } = createApp(gatewayOfStore, store, world, { ...config, rateLimits }, health);
    const { url, close } = await listen(listener, { ...config, port: 0 });
    const browser = await launchChromium();
    try {
      await pictureAll(browser, url, key);
    } finally {
      await browser.close();
      await close();
    }
  } finally {
    await stop();
  }
  for (const name of SHOWN) {
    await copyFile(image(ALL, `${name}-${SHOWN_LOOK}`), image(OF_THE_DOCS, name));
  }
  return '';
}

async function pictureAll(browser: Browser, url: string, key: string): Promise<void> {
  await mkdir(ALL, { recursive: true });
  for (const viewport of VIEWPORTS) {
    for (const { name, path, prepare } of VIEWS) {
      await using context = await browser.newContext(viewport);
      const page = await context.newPage();
      await page.goto(url + path);
      await prepare?.(page, key);
      await page.screenshot({ path: image(ALL, `${name}-${viewport.name}`) });
    }
  }
}

function image(folder: URL, name: string): string {
  return fileURLToPath(new URL(`${name}.png`, folder));
}
