import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const QUERY = `POST ${gateway.url}/graphql`;
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

async function addPet(name: string): Promise<void> {
  await gateway.post('/v1/pets', { name, categoryId: 1 });
}

/** What the user has run. */
function queries(requests: readonly string[]): string[] {
  return requests.filter((request) => request.startsWith('POST'));
}

test('with a key, the first query runs and its rows are shown', async () => {
  await addPet('Aquila');
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Aquila"').waitFor();
  expect(queries(requests)).toEqual([QUERY]);
});

test('a reload keeps the key in this tab only', async () => {
  await addPet('Lyra');
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.reload();
  await page.getByText('This key works.').waitFor();
  await waitForPlayground(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Lyra"').waitFor();
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual([
    'listPets',
    'createPet',
    'getPets',
  ]);
  expect(queries(requests)).toEqual([QUERY]);
  expect(requests.filter((request) => request.includes(gateway.key))).toEqual([]);
  expect(
    await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])'),
  ).toBe(JSON.stringify([{}, '', `${gateway.url}/graphql`]));
});

test('every tab of GraphiQL uses the key, and none does after Forget', async () => {
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Rex"').waitFor();
  await page.getByRole('button', { name: 'Forget' }).click();
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await line(page, 'operation.graphql', 'query listPets').waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'Enter an API key in the field above').waitFor();
  // The mutation.
  expect(queries(requests)).toEqual([QUERY]);
});

test('a key in the headers of a tab takes precedence until a reload', async () => {
  const { page, complaints } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Headers' }).click();
  await page.locator('[data-uri$="request-headers.json"]').click();
  // Monaco closes brackets and quotes itself.
  await page.keyboard.insertText('{ "authorization": "Bearer another" }');
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'The API key is not valid').waitFor();
  expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
  await page.reload();
  await waitForPlayground(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"data"').waitFor();
});

test('a link to a query opens it in one more tab', async () => {
  await addPet('Cygnus');
  const { page } = await openPlayground(open, '/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Cygnus"').waitFor();
  expect(page.url()).toBe(`${gateway.url}/graphql`);
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual([
    '<untitled>',
    'listPets',
    'createPet',
    'getPets',
  ]);
});

test('the response to an invalid query is shown, without an error in the console', async () => {
  const { page, requests } = await openPlayground(open, '/graphql?query={cats}');
  await typeKey(page, gateway.key);
  await line(page, 'operation.graphql', '{cats}').click();
  await page.keyboard.press('Control+Enter');
  await line(page, 'response.json', 'Cannot query field').waitFor();
  expect(queries(requests)).toEqual([QUERY]);
});
