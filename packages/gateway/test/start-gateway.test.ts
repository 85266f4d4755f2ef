import type { GatewayOptions } from '../src/definition.ts';
import { expect, inject, test } from 'vitest';
import { gateway as animals } from '../../../src/gateway.ts';
import { createDatabase, TEMPLATE } from '../../../test/support/database.ts';
import { createGateway, startGateway } from '../src/gateway.ts';

/** Of animals, under another name and by other options, on a database of its own. */
async function start(options: Partial<GatewayOptions<never>> = {}, env: NodeJS.ProcessEnv = {}) {
  const gateway = createGateway({ ...animals, ...options });
  const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  return startGateway(gateway, { DATABASE_URL, ...env });
}

test('a gateway serves in this process until it is disposed of', async () => {
  const started = await start();
  const { url } = started;
  const headers = { Authorization: `Bearer ${await started.createKey('test')}` };
  await started.database.pet.create({ data: { name: 'Rex', categoryId: 7n, status: 'available' } });
  const response = await fetch(`${url}/v1/pets`, { headers });
  expect(await response.json()).toMatchObject([{ id: 1, name: 'Rex' }]);
  await started[Symbol.asyncDispose]();
  await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed');
});

test('the store’s own defaults hold, unless the environment has another', async () => {
  const defaults = { RATE_LIMIT: '7/60s' };
  const limitOf = async (env: NodeJS.ProcessEnv) => {
    await using started = await start({ defaults }, env);
    const headers = { Authorization: `Bearer ${await started.createKey('test')}` };
    return (await fetch(`${started.url}/v1/pets`, { headers })).headers.get('RateLimit-Policy');
  };
  expect(await limitOf({})).toBe('"key";q=7;w=60');
  expect(await limitOf({ RATE_LIMIT: '9/60s' })).toBe('"key";q=9;w=60');
});

test('a store without routes has pages, whose check of keys needs one', async () => {
  const api = await animals.load();
  await using started = await start({
    title: 'Books & <Co>',
    pages: { firstQueries: ['{ a(b: "</script>&amp;") }'] },
    load: () => Promise.resolve({ ...api, rest: { ...api.rest, routes: [] } }),
  });
  const page = async (path: string) =>
    (await fetch(started.url + path, { headers: { Accept: 'text/html' } })).text();
  const statusOf = async (key: string) =>
    (await fetch(`${started.url}/key`, { headers: { Authorization: `Bearer ${key}` } })).status;
  expect([await statusOf(await started.createKey('test')), await statusOf('no')]).toEqual([
    200, 401,
  ]);
  for (const path of ['/', '/docs', '/graphql', '/none']) {
    const text = await page(path);
    expect(text).toContain('Books &amp; &lt;Co&gt;');
    expect(text).not.toContain('<Co>');
  }
  expect(await page('/graphql')).toContain(
    'content="{ a(b: &quot;&lt;/script&gt;&amp;amp;&quot;) }"',
  );
});

test('a start that fails leaves nothing, and says why', async () => {
  await expect(start({}, { PORT: 'x' })).rejects.toThrow('PORT must be an integer');
  await expect(start({}, { HOST: '192.0.2.1' })).rejects.toThrow('HOST');
});
