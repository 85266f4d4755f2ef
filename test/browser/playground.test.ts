import { expect, test } from 'vitest';
import { generateApiKey } from '../../src/auth/api-key.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const PAGE = `GET ${gateway.url}/graphql`;
const QUERY = `POST ${gateway.url}/graphql`;
const UNAUTHORIZED =
  'Failed to load resource: the server responded with a status of 401 (Unauthorized)';

async function addPet(name: string): Promise<void> {
  await gateway.post('/v1/pets', { name, categoryId: 1 });
}

test('a key that is typed runs the first query, and the rows are seen', async () => {
  await addPet('Aquila');
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Aquila"').waitFor();
  // The page, the schema, and the query.
  expect(requests).toEqual([PAGE, QUERY, QUERY]);
});

test('without a key the page says how to get one and where to put it, and asks nothing', async () => {
  const { page, requests } = await openPlayground(open);
  const notice = page.getByRole('status').filter({ hasText: 'No API key yet' });
  expect(await notice.innerText()).toBe(
    'No API key yet. Make one with: npm run --silent keys -- create NAME. Then put it behind Bearer in the Headers tab.',
  );
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', 'No API key yet').waitFor();
  expect(requests).toEqual([PAGE]);
  await typeKey(page, gateway.key);
  expect(await notice.isVisible()).toBe(false);
  // It was about the key that was not there.
  await line(page, 'response.json', 'No API key yet').waitFor({ state: 'detached' });
});

test('of a wrong key the message of the server is seen, and the console has nothing but the 401', async () => {
  const { page, requests, complaints } = await openPlayground(open);
  await typeKey(page, generateApiKey());
  await line(page, 'response.json', 'The API key is not valid').waitFor();
  expect(requests).toEqual([PAGE, QUERY]);
  expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
});

test('what is no key at all is sent when a query is run, and not before', async () => {
  const { page, requests, complaints } = await openPlayground(open);
  await typeKey(page, 'secret');
  await page.keyboard.press('Control+Enter');
  await line(page, 'response.json', 'The API key is not valid').waitFor();
  expect(requests).toEqual([PAGE, QUERY]);
  expect(complaints.splice(0)).toEqual([UNAUTHORIZED]);
});

test('a reload keeps the key, in this tab alone, and fetches the schema with it once', async () => {
  await addPet('Lyra');
  const { page, requests } = await openPlayground(open);
  await typeKey(page, gateway.key);
  await page.reload();
  await line(page, 'request-headers.json', gateway.key.slice(0, 8)).waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Lyra"').waitFor();
  expect(await page.locator('.graphiql-tab-button').allInnerTexts()).toEqual([
    'listPets',
    'createPet',
    'getPet',
  ]);
  expect(requests).toEqual([PAGE, QUERY, PAGE, QUERY, QUERY]);
  expect(
    await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])'),
  ).toBe(JSON.stringify([{}, '', `${gateway.url}/graphql`]));
});

test('the key is there in every tab of GraphiQL, and gone from all when it is deleted', async () => {
  const { page } = await openPlayground(open);
  await typeKey(page, gateway.key);
  const key = line(page, 'request-headers.json', gateway.key.slice(0, 8));
  await page.getByRole('button', { name: 'createPet', exact: true }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor();
  await key.waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Rex"').waitFor();
  await page.getByRole('button', { name: 'New tab' }).click();
  await line(page, 'operation.graphql', 'mutation createPet').waitFor({ state: 'detached' });
  await key.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'listPets', exact: true }).click();
  await line(page, 'operation.graphql', 'query listPets').waitFor();
  await key.waitFor({ state: 'detached' });
  expect(await page.getByText('No API key yet').isVisible()).toBe(true);
});

test('a link to a query opens it beside the others, once', async () => {
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
    'getPet',
  ]);
});

test('a query that is not valid is answered with what is wrong, and the console has nothing', async () => {
  const { page } = await openPlayground(open, '/graphql?query={cats}');
  await typeKey(page, gateway.key);
  await page.keyboard.press('Control+Enter');
  await line(page, 'response.json', 'Cannot query field').waitFor();
  expect(await page.getByText('No API key yet').isVisible()).toBe(false);
});
