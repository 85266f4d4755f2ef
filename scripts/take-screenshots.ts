import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createApp } from '../src/app/app.ts';
import { createDatabaseHealth } from '../src/app/database-health.ts';
import { listen } from '@gateway/http-server/listen';
import { createKey } from '../src/auth/key-records.ts';
import { readConfig } from '../src/config.ts';
import { startDatabase } from '../src/database/start.ts';
import { log } from '@gateway/log/log';
import { createRateLimits } from '@gateway/rate-limits/rate-limits';
import { createDeprecatedCalls } from '../src/usage/deprecated-calls.ts';
import { launchChromium } from '../test/browser/support/chromium.ts';
import { line, typeKey } from '../test/browser/support/playground.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';

const IMAGES = new URL('../docs/images/', import.meta.url);
const ANIMALS = ['Rex', 'Luna', 'Milo'].map((name) => ({
  name,
  categoryId: 1n,
  status: 'available' as const,
}));

/** Writes the pictures of the README, of a service with animals that it starts for this. */
export async function takeScreenshots(): Promise<string> {
  log.level = 'silent';
  await using directory = await temporaryDirectory();
  const config = readConfig({ DATA_DIR: directory.path });
  const { database, stop } = await startDatabase(config);
  try {
    await database.pet.createMany({ data: ANIMALS });
    const key = await createKey(database, 'screenshots', null);
    const world = { database, deprecatedCalls: createDeprecatedCalls(database), now: Date.now };
    const rateLimits = createRateLimits(database, config, () => performance.now());
    const app = createApp(world, { ...config, rateLimits }, createDatabaseHealth(database));
    const { url, close } = await listen(app, { ...config, port: 0 });
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await mkdir(IMAGES, { recursive: true });
      await showPlayground(page, url, key);
      await page.screenshot({ path: image('graphiql.png') });
      await page.goto(`${url}/docs#/animals/getPet`);
      await page.getByText('To be removed on').waitFor();
      await page.screenshot({ path: image('docs.png') });
    } finally {
      await browser.close();
      await close();
    }
  } finally {
    await stop();
  }
  return '';
}

/** GraphiQL with a list; the key is masked. */
async function showPlayground(page: Page, url: string, key: string): Promise<void> {
  await page.goto(`${url}/graphql`);
  await typeKey(page, key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Milo"').waitFor();
}

function image(name: string): string {
  return fileURLToPath(new URL(name, IMAGES));
}
