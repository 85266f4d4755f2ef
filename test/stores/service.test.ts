import { describe, expect, test } from 'vitest';
import { object } from '../support/openapi.ts';
import { runStore, STORES, type StoreProcess } from '../support/stores.ts';

/*
 * What every store gets from the gateway under its own name: keys, pages, metrics, workers and commands. The names
 * follow from the store's configuration, everything else from its OpenAPI document.
 */

const stores = await Promise.all(STORES.map((store) => runStore(store)));

/** The other stores' names, which must not appear in this store. */
function namesOfOthers({ name }: StoreProcess): string[] {
  return stores
    .filter((other) => other.name !== name)
    .flatMap(({ gateway }) => [
      gateway.title,
      gateway.access.keyPrefix,
      gateway.serviceName,
      gateway.metricsPrefix,
    ]);
}

/** The first list that needs no path parameters. */
function listOf({ contract }: StoreProcess): string {
  const list = contract.operations.find(
    ({ method, path, parameters }) =>
      method === 'GET' && !path.includes('{') && parameters.some(({ name }) => name === 'limit'),
  );
  return list?.path ?? '';
}

async function metricsOf({ service }: Pick<StoreProcess, 'service'>): Promise<string> {
  const [, url = ''] = /"url":"([^"]+\/metrics)"/.exec(service.child.stdout()) ?? [];
  return (await fetch(url)).text();
}

describe.each(stores)('$name', (store) => {
  const { gateway, service, key, request } = store;
  const { keyPrefix } = gateway.access;

  test("keys have the store's prefix and are redacted, and keys with a different prefix are rejected", async () => {
    expect(key).toMatch(new RegExp(`^${keyPrefix}[0-9A-Za-z]{49}$`));
    expect((await request(`${listOf(store)}?note=${key}`)).status).toBe(200);
    await service.child.line('stdout', (text) => text.includes(`"${listOf(store)}"`));
    expect(service.child.stdout()).not.toContain(key);
    const headers = { Authorization: `Bearer no_${key.slice(keyPrefix.length)}` };
    expect(await request(listOf(store), { headers })).toMatchObject({
      status: 401,
      json: { code: 'UNAUTHENTICATED', message: 'The API key is not valid' },
    });
  });

  test.each(['/', '/docs', '/graphql'])(
    "the page %s contains the store's names and no other store's",
    async (path) => {
      const { status, text } = await request(path, { headers: { Accept: 'text/html' } });
      expect(status).toBe(200);
      expect(text).toContain(gateway.title);
      expect(text).toContain(`data-prefix="${keyPrefix}"`);
      expect(text).toContain(`data-item="${gateway.serviceName}:api-key"`);
      expect(namesOfOthers(store).filter((name) => text.includes(name))).toEqual([]);
    },
  );

  test("/docs shows every operation and the contract's title", async () => {
    const { at, operations } = store.contract;
    const { text } = await request('/docs', { headers: { Accept: 'text/html' } });
    expect(operations).not.toEqual([]);
    for (const { method, path } of operations) {
      const summary = at('paths', path.replace(/^\/v1/, ''), method.toLowerCase(), 'summary');
      expect(text).toContain(`>${String(summary)}</a`);
    }
    expect(text).toContain(String(object(at('info'))['title']));
  });

  test("metrics have the store's prefix and no other", async () => {
    expect((await request('/readyz')).text).toBe('ready\n');
    const metrics = await metricsOf(store);
    expect(metrics).toContain(`${gateway.metricsPrefix}ready 1`);
    expect(namesOfOthers(store).filter((name) => metrics.includes(name))).toEqual([]);
  });
});
