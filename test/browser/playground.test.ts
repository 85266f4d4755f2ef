import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { firstQueries } from '../../src/pages/first-queries.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const openTrusted = await startBrowser(await startGateway({ trustedDocumentsOnly: true }));
const closed = await startGateway({ graphqlIntrospection: false });
const openClosed = await startBrowser(closed);
const QUERY = `POST ${gateway.url}/graphql`;
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

async function addPet(name: string): Promise<void> {
  await gateway.post('/v1/pets', { name, categoryId: 1 });
}

const run = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click();

/** Returns the requests that ran an operation. */
function queries(requests: readonly string[]): string[] {
  return requests.filter((request) => request.startsWith('POST'));
}

test('with a key, GraphiQL’s first query runs, even after a reload', async () => {
  await addPet('Aquila');
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await run(page);
  await line(page, 'response.json', '"Aquila"').waitFor();
  await page.reload();
  await page.getByText('This key works.').waitFor();
  await waitForPlayground(page);
  await addPet('Lyra');
  await run(page);
  await line(page, 'response.json', '"Lyra"').waitFor();
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual([
    'listPets',
    'createPet',
    'getPets',
  ]);
  expect(queries(requests)).toEqual([QUERY, QUERY]);
  expect(requests.filter((request) => request.includes(gateway.key))).toEqual([]);
  expect(
    await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])'),
  ).toBe(JSON.stringify([{}, '', `${gateway.url}/graphql`]));
});

test('every GraphiQL tab uses the key until Forget is pressed', async () => {
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor();
  await run(page);
  await line(page, 'response.json', '"Rex"').waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await line(page, 'operation.graphql', 'query listPets').waitFor();
  await run(page);
  await line(page, 'response.json', 'Enter an API key in the field above').waitFor();
  // Only the mutation was sent.
  expect(queries(requests)).toEqual([QUERY]);
});

test('a key in a GraphiQL tab’s headers takes precedence until a reload', async () => {
  const { page, complaints } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('[data-uri$="request-headers.json"]').click();
  // Monaco would close typed brackets and quotes automatically.
  await page.keyboard.insertText('{ "authorization": "Bearer another" }');
  await run(page);
  await line(page, 'response.json', 'The API key is not valid').waitFor();
  expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
  await page.reload();
  await waitForPlayground(page);
  await run(page);
  await line(page, 'response.json', '"data"').waitFor();
});

test('a link to a query opens the query in an additional GraphiQL tab', async () => {
  await addPet('Cygnus');
  const { page } = await openPlayground(open, '/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  await run(page);
  await line(page, 'response.json', '"Cygnus"').waitFor();
  expect(page.url()).toBe(`${gateway.url}/graphql`);
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual([
    '<untitled>',
    'listPets',
    'createPet',
    'getPets',
  ]);
});

test('GraphiQL shows the response to an invalid query without an error in the console', async () => {
  const { page, requests } = await openPlayground(open, '/graphql?query={cats}');
  await typeKey(page, gateway.key);
  await line(page, 'operation.graphql', '{cats}').click();
  await page.keyboard.press('Control+Enter');
  await line(page, 'response.json', 'Cannot query field').waitFor();
  expect(queries(requests)).toEqual([QUERY]);
});

test('GraphiQL requests the schema only once and without the API key', async () => {
  const { page, requests } = await open('/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  await waitForPlayground(page);
  await run(page);
  await line(page, 'response.json', '"Aquila"').waitFor();
  expect(queries(requests)).toHaveLength(1);
  expect(requests.filter((sent) => sent.includes('introspection'))).toHaveLength(1);
});

test('a second visit to GraphiQL does not request files with versioned URLs again', async () => {
  const { page, requests } = await openPlayground(open);
  const asked = requests.filter((sent) => sent.includes('/assets/graphiql/'));
  expect(asked.length).toBeGreaterThan(6);
  expect(asked.filter((sent) => !/\?[\w-]{16}$/.test(sent))).toEqual([]);
  // Editors request the last files after a user can begin, so a reload may abort these requests.
  const transferred = (): Promise<string[]> =>
    page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name, transferSize }) => name.includes('/assets/graphiql/') && transferSize > 0)
      .map(({ name }) => name)`);
  const kept = await transferred();
  expect(kept.length).toBeGreaterThan(3);
  await page.reload();
  await waitForPlayground(page);
  const again = await transferred();
  expect(again.filter((address) => kept.includes(address))).toEqual([]);
});

test('GraphiQL works below a proxy’s path prefix', async () => {
  const { page, requests } = await open('/');
  const prefix = await mountBelowPrefix(page, gateway.url);
  const before = requests.length;
  await page.goto(`${prefix}graphql`);
  await waitForPlayground(page);
  await typeKey(page, gateway.key);
  await run(page);
  await line(page, 'response.json', '"Aquila"').waitFor();
  expect(requests.slice(before).filter((sent) => !sent.includes(prefix))).toEqual([]);
});

test('in a window of 640 by 400, GraphiQL keeps its minimum height and the page can scroll to the Execute button', async () => {
  const { page } = await openPlayground(open, '/graphql', {
    viewport: { width: 640, height: 400 },
  });
  await typeKey(page, gateway.key);
  const height = await page.locator('main').evaluate((main) => main.getBoundingClientRect().height);
  expect(height).toBeGreaterThanOrEqual(576);
  await page.getByRole('button', { name: 'Execute query' }).scrollIntoViewIfNeeded();
  await run(page);
  await line(page, 'response.json', '"Aquila"').waitFor();
});

test.each([
  ['any document', open],
  ['trusted documents only', openTrusted],
])(
  'with %s, GraphiQL’s documentation is available without a key and shows deprecations',
  async (_, openOf) => {
    const { page } = await openPlayground(openOf);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const documentation = page.locator('.graphiql-doc-explorer');
    await documentation.getByText('Query', { exact: true }).click();
    await documentation.getByText('pets', { exact: true }).first().waitFor();
    await documentation.getByText('Each needs the scope read.').waitFor();
    expect(await documentation.getByText('pet', { exact: true }).count()).toBe(0);
    await documentation.getByRole('button', { name: 'Show Deprecated Fields' }).click();
    await documentation.getByText('pet', { exact: true }).waitFor();
    await documentation.getByText('To be removed on 5 December 2030').waitFor();
  },
);

test('GraphiQL completes fields without a key', async () => {
  const { page } = await openPlayground(open, '/graphql?query={}');
  await line(page, 'operation.graphql', '{}').click();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const option = page.getByRole('option', { name: /^petsConnection/ });
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+Space');
      return option.waitFor({ timeout: 1000 }).then(() => 'offered', String);
    })
    .toBe('offered');
});

test('GraphiQL’s last initial tab gets animals by id, and no tab uses a deprecated field', async () => {
  const { page } = await openPlayground(open);
  await page.getByRole('button', { name: 'getPets', exact: true }).click();
  await line(page, 'operation.graphql', 'pets(ids: [1])').waitFor();
  await typeKey(page, gateway.key);
  await run(page);
  await line(page, 'response.json', '"pets"').waitFor();
  expect(firstQueries.filter((query) => /\bpet\(/.test(query))).toEqual([]);
});

test('if introspection is disabled, GraphiQL runs queries and only lacks its documentation', async () => {
  await closed.post('/v1/pets', { name: 'Vela', categoryId: 1 });
  const { page, requests } = await openPlayground(openClosed);
  await typeKey(page, closed.key);
  await run(page);
  await line(page, 'response.json', '"Vela"').waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('No GraphQL schema available').waitFor();
  expect(requests.filter((sent) => sent.includes('introspection'))).toEqual([]);
});
