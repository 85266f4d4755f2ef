import { copyFile, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { startGateway } from '@gateway/gateway/start-gateway';
import { gateway } from '../src/gateway.ts';
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
  await using directory = await temporaryDirectory();
  await using started = await startGateway(gateway, { DATA_DIR: directory.path });
  await started.database.pet.createMany({ data: [...ANIMALS] });
  const key = await started.createKey('screenshots');
  const browser = await launchChromium();
  try {
    await pictureAll(browser, started.url, key);
  } finally {
    await browser.close();
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
