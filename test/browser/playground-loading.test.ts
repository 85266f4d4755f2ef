import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';
import { mountBelowPrefix } from './support/prefix.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.post('/v1/pets', { name: 'Hydra', categoryId: 1 });

test('the schema is requested once, without the key', async () => {
  const { page, requests } = await open('/graphql?query={pets{name}}');
  await typeKey(page, gateway.key);
  await waitForPlayground(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Hydra"').waitFor();
  expect(requests.filter((sent) => sent.startsWith('POST'))).toHaveLength(1);
  expect(requests.filter((sent) => sent.includes('introspection'))).toHaveLength(1);
});

test('a second visit requests no file whose address has a version', async () => {
  const { page, requests } = await openPlayground(open);
  const asked = requests.filter((sent) => sent.includes('/assets/graphiql/'));
  expect(asked.length).toBeGreaterThan(6);
  expect(asked.filter((sent) => !/\?[\w-]{16}$/.test(sent))).toEqual([]);
  // Editors ask for the last of them after a user can begin: those, a reload may cut off.
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

test('the page works below the prefix of a proxy', async () => {
  const { page, requests } = await open('/');
  const prefix = await mountBelowPrefix(page, gateway.url);
  const before = requests.length;
  await page.goto(`${prefix}graphql`);
  await waitForPlayground(page);
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Hydra"').waitFor();
  expect(requests.slice(before).filter((sent) => !sent.includes(prefix))).toEqual([]);
});

test('in a window of 640 by 400, the query has room, and the page scrolls to the button that runs it', async () => {
  const { page } = await openPlayground(open, '/graphql', {
    viewport: { width: 640, height: 400 },
  });
  await typeKey(page, gateway.key);
  const height = await page.locator('main').evaluate((main) => main.getBoundingClientRect().height);
  expect(height).toBeGreaterThanOrEqual(576);
  const run = page.getByRole('button', { name: 'Execute query' });
  await run.scrollIntoViewIfNeeded();
  await run.click();
  await line(page, 'response.json', '"Hydra"').waitFor();
});
