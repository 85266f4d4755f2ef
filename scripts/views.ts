import type { Page } from 'playwright-core';
import { operation, send, tryOut } from '../test/browser/support/docs.ts';
import { line, typeKey, waitForPlayground } from '../test/browser/support/playground.ts';

/** A page in the state that its picture shows. */
export interface View {
  /** The name of its picture's file. */
  readonly name: string;
  readonly path: string;
  /** Whether the store has no animals yet. */
  readonly isEmpty?: boolean;
  readonly javaScriptEnabled?: boolean;
  /** Brings the page into that state, without showing the key. */
  readonly prepare?: (page: Page, key: string) => Promise<void>;
}

export const VIEWS: readonly View[] = [
  { name: 'landing-empty', path: '/', isEmpty: true, prepare: giveKeyIn('The store has no') },
  { name: 'landing-without-key', path: '/' },
  { name: 'landing-without-script', path: '/', javaScriptEnabled: false },
  { name: 'landing', path: '/', prepare: giveKeyIn('The first ') },
  {
    name: 'landing-outage',
    path: '/',
    prepare: async (page, key) => {
      await giveKeyIn('The first ')(page, key);
      await loseService(page);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('when the service responds again').first().waitFor();
    },
  },
  { name: 'not-found', path: '/nowhere' },
  { name: 'docs-without-script', path: '/docs', javaScriptEnabled: false },
  {
    name: 'docs-list',
    path: '/docs#/animals/listPets',
    prepare: async (page) => page.getByText('Returns a paginated list').first().waitFor(),
  },
  { name: 'docs', path: '/docs#/animals/createPet', prepare: createInDocs },
  {
    name: 'docs-outage',
    path: '/docs#/animals/listPets',
    prepare: async (page, key) => {
      await typeKey(page, key);
      await tryOut(page, 'listPets');
      await loseService(page);
      await operation(page, 'listPets').getByRole('button', { name: 'Send' }).click();
      await page.evaluate('scrollTo(0, 0)');
    },
  },
  { name: 'graphiql-without-key', path: '/graphql', prepare: waitForPlayground },
  { name: 'graphiql-without-script', path: '/graphql', javaScriptEnabled: false },
  { name: 'graphiql', path: '/graphql', prepare: createInGraphiQL },
  {
    name: 'graphiql-outage',
    path: '/graphql',
    prepare: async (page, key) => {
      await waitForPlayground(page);
      await typeKey(page, key);
      await loseService(page);
      await page.getByRole('button', { name: 'Execute query' }).click();
    },
  },
  { name: 'guides', path: '/guides' },
  { name: 'guide', path: '/guides/limits' },
  { name: 'docs-codes', path: '/docs#/schemas/ErrorCode' },
];

function giveKeyIn(text: string) {
  return async (page: Page, key: string): Promise<void> => {
    await page.getByLabel('API key').fill(key);
    await page.getByText(text).waitFor();
  };
}

async function loseService(page: Page): Promise<void> {
  await page.route('**/*', (route) => route.abort());
  await page.evaluate('dispatchEvent(new Event("service-unreachable")), undefined');
}

async function createInDocs(page: Page, key: string): Promise<void> {
  await typeKey(page, key);
  await tryOut(page, 'createPet');
  await send(page, 'createPet');
  await operation(page, 'createPet').evaluate((part) => part.scrollIntoView());
}

async function createInGraphiQL(page: Page, key: string): Promise<void> {
  await waitForPlayground(page);
  await typeKey(page, key);
  await page.getByRole('button', { name: 'createPet' }).click();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Rex"').waitFor();
}
