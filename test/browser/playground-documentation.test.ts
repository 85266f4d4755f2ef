import { expect, test } from 'vitest';
import { firstQueries } from '../../src/pages/first-queries.ts';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
const openTrusted = await startBrowser(await startGateway({ trustedDocumentsOnly: true }));
const closed = await startGateway({ graphqlIntrospection: false });
const openClosed = await startBrowser(closed);

test.each([
  ['any document', open],
  ['trusted documents alone', openTrusted],
])('with %s, the documentation needs no key, and shows what is deprecated', async (_, openOf) => {
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
});

test('completion needs no key', async () => {
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

test('the last tab gets animals by their ids, and no tab uses a deprecated field', async () => {
  const { page } = await openPlayground(open);
  await page.getByRole('button', { name: 'getPets', exact: true }).click();
  await line(page, 'operation.graphql', 'pets(ids: [1])').waitFor();
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"pets"').waitFor();
  expect(firstQueries.filter((query) => /\bpet\(/.test(query))).toEqual([]);
});

test('without introspection, queries run and only the documentation is missing', async () => {
  await closed.post('/v1/pets', { name: 'Vela', categoryId: 1 });
  const { page, requests } = await openPlayground(openClosed);
  await typeKey(page, closed.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Vela"').waitFor();
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByText('No GraphQL schema available').waitFor();
  expect(requests.filter((sent) => sent.includes('introspection'))).toEqual([]);
});
