import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { startBrowser } from './support/browser.ts';
import { line, openPlayground, typeKey, waitForPlayground } from './support/playground.ts';

const gateway = await startGateway();
const open = await startBrowser(gateway);
await gateway.post('/v1/pets', { name: 'Hydra', categoryId: 1 });

/** A proxy that has the service below a prefix, and removes it. */
async function startPrefixProxy(prefix: string): Promise<{ readonly url: string }> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const path = url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : '/outside-the-prefix';
    const forwarded = request(gateway.url + path, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, 'listening');
  const address = proxy.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
}

test('the key and the query are there before GraphiQL is, which then asks for the schema once', async () => {
  const { page, requests } = await open('/');
  const held = Promise.withResolvers<void>();
  await page.route('**/graphiql.js?*', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`${gateway.url}/graphql?query={pets{name}}`, { waitUntil: 'commit' });
  await page.locator('pre', { hasText: '{pets{name}}' }).waitFor();
  await typeKey(page, gateway.key);
  expect(await page.getByRole('button', { name: 'Execute query' }).count()).toBe(0);
  held.resolve();
  await waitForPlayground(page);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Hydra"').waitFor();
  expect(await page.getByText('Loading the editor').count()).toBe(0);
  expect(requests.filter((sent) => sent.startsWith('POST'))).toHaveLength(2);
});

test('a second visit asks only for what has no version in its address', async () => {
  const { page, requests } = await openPlayground(open);
  const asked = requests.filter((sent) => sent.includes('/assets/graphiql/'));
  expect(asked.length).toBeGreaterThan(6);
  expect(asked.filter((sent) => !/\?[\w-]{16}$/.test(sent))).toEqual([]);
  const transferred = `performance.getEntriesByType('resource')
    .filter(({ name, transferSize }) => name.includes('/assets/graphiql/') && transferSize > 0).length`;
  expect(await page.evaluate(transferred)).toBeGreaterThan(3);
  await page.reload();
  await waitForPlayground(page);
  expect(await page.evaluate(transferred)).toBe(0);
});

test('below the prefix of a proxy the page and all that it loads and asks are there', async () => {
  const proxy = await startPrefixProxy('/store');
  const openBelow = await startBrowser(proxy);
  const { page, requests } = await openPlayground(openBelow, '/store/graphql');
  await typeKey(page, gateway.key);
  await page.getByRole('button', { name: 'Execute query' }).click();
  await line(page, 'response.json', '"Hydra"').waitFor();
  expect(requests.filter((sent) => !sent.includes(`${proxy.url}/store/`))).toEqual([]);
});
