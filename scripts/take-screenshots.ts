import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startGateway } from '@store-gateway/gateway';
import { gateway } from '../src/gateway.ts';
import { launchChromium } from '../test/browser/support/chromium.ts';
import { VIEWPORTS, type Viewport } from '../test/browser/support/viewports.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { VIEWS, type View } from './views.ts';

const STATES = new URL('../screenshots/', import.meta.url);
const DOCS = new URL('../docs/images/', import.meta.url);
/** The pictures in the docs, by the name of their view. */
const SHOWN = new Set(['landing', 'docs', 'graphiql']);
const SHOWN_LOOK = '1280-light';

const ANIMALS = [
  { name: 'Rex', categoryId: 1n, status: 'available' },
  { name: 'Luna', categoryId: 1n, status: 'pending' },
  { name: 'Milo', categoryId: 2n, status: 'available' },
] as const;

/** A picture of a view in a window. */
interface Picture {
  readonly view: View;
  readonly viewport: Viewport;
  readonly file: URL;
}

/**
 * Starts a service and takes pictures of it.
 *
 * @param options.states whether to take every state of every page, instead of the pictures in the docs
 */
export async function takeScreenshots({ states }: { states: boolean }): Promise<string> {
  await using directory = await temporaryDirectory();
  await using started = await startGateway(gateway, { DATA_DIR: directory.path });
  const key = await started.createKey('screenshots');
  const pictures = states ? picturesOfStates() : picturesInDocs();
  const browser = await launchChromium();
  const take = async ({ view, viewport, file }: Picture): Promise<void> => {
    const { path, prepare, javaScriptEnabled = true } = view;
    await using context = await browser.newContext({ ...viewport, javaScriptEnabled });
    const page = await context.newPage();
    await page.goto(started.url + path);
    await prepare?.(page, key);
    await page.screenshot({ path: fileURLToPath(file) });
  };
  try {
    await mkdir(STATES, { recursive: true });
    for (const picture of pictures.filter(({ view }) => view.isEmpty === true)) {
      await take(picture);
    }
    await started.database.pet.createMany({ data: [...ANIMALS] });
    for (const picture of pictures.filter(({ view }) => view.isEmpty !== true)) {
      await take(picture);
    }
  } finally {
    await browser.close();
  }
  return '';
}

function picturesOfStates(): readonly Picture[] {
  return VIEWS.flatMap((view) =>
    VIEWPORTS.map((viewport) => ({
      view,
      viewport,
      file: new URL(`${view.name}-${viewport.name}.png`, STATES),
    })),
  );
}

function picturesInDocs(): readonly Picture[] {
  return VIEWS.filter(({ name }) => SHOWN.has(name)).flatMap((view) =>
    VIEWPORTS.filter(({ name }) => name === SHOWN_LOOK).map((viewport) => ({
      view,
      viewport,
      file: new URL(`${view.name}.png`, DOCS),
    })),
  );
}
