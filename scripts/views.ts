import type { Page } from 'playwright-core';
import { line, typeKey } from '../test/browser/support/playground.ts';

/** A page in the state that its picture shows. */
export interface View {
  /** Of the file of its picture. */
  readonly name: string;
  readonly path: string;
  /** Brings the page into that state, without a key that anybody could read. */
  readonly prepare?: (page: Page, key: string) => Promise<void>;
}

export const VIEWS: readonly View[] = [
  { name: 'landing-without-key', path: '/' },
  { name: 'landing', path: '/', prepare: giveKey },
  { name: 'not-found', path: '/nowhere' },
  {
    name: 'docs',
    path: '/docs#/animals/getPet',
    prepare: async (page) => page.getByText('To be removed on').first().waitFor(),
  },
  { name: 'graphiql', path: '/graphql', prepare: runQuery },
];

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByText('The first 3 animals').waitFor();
}

async function runQuery(page: Page, key: string): Promise<void> {
  const run = page.getByRole('button', { name: 'Execute query' });
  await run.waitFor();
  if (Number(page.viewportSize()?.width) < 768) {
    // On a phone, the editors are too narrow to find a line in them.
    return;
  }
  await typeKey(page, key);
  await run.click();
  await line(page, 'response.json', '"Milo"').waitFor();
  await line(page, 'request-headers.json', '"Bearer').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  for (const _ of key) {
    await page.keyboard.press('Backspace');
  }
  await page.keyboard.type('asg_…');
  await line(page, 'request-headers.json', 'asg_…').waitFor();
}
