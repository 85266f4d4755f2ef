import type { Page } from 'playwright-core';
import { line, typeKey, waitForPlayground } from '../test/browser/support/playground.ts';

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
    path: '/docs#/animals/listPets',
    prepare: async (page) => page.getByText('Returns a paginated list').first().waitFor(),
  },
  {
    name: 'docs-deprecated',
    path: '/docs#/animals/getPet',
    prepare: async (page) => page.getByText('To be removed on').first().waitFor(),
  },
  { name: 'guides', path: '/guides' },
  { name: 'guide', path: '/guides/limits' },
  { name: 'graphiql', path: '/graphql', prepare: runQuery },
];

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByText('The first 3 animals').waitFor();
}

async function runQuery(page: Page, key: string): Promise<void> {
  await waitForPlayground(page);
  await typeKey(page, key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Milo"').waitFor();
}
