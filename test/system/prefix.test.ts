import { expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { runProgram } from '../support/process.ts';
import { startStoreBehindProxy, type StoreBehindProxy } from './support/store-behind-proxy.ts';

/** Two stores behind HAProxy under /store: one without PUBLIC_URL, one with it. */
const relative = await startStoreBehindProxy({ hasPrefix: true });
const absolute = await startStoreBehindProxy({ hasPrefix: true, hasPublicUrl: true });

const STORES = [
  ['relative', relative],
  ['absolute', absolute],
] as const;
const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

/** Adds an animal; returns its id and its Location. */
async function addAnimal({ request }: StoreBehindProxy) {
  const { headers, text } = await request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  return { id: /"id":(\d+)/.exec(text)?.[1] ?? '', location: headers.get('Location') ?? '' };
}

test.each(STORES)('%s references stay below the prefix', async (kind, store) => {
  const { url, key, request } = store;
  /** Follows a reference with the key; expects a reference of this kind and the status 200. */
  const follow = async (reference: string, from: string): Promise<string> => {
    expect(URL.canParse(reference)).toBe(kind === 'absolute');
    const target = new URL(reference, url + from).href;
    expect(target).toContain(`${url}/`);
    const headers = { ...BROWSER, Authorization: `Bearer ${key}` };
    expect([target, (await fetch(target, { headers })).status]).toEqual([target, 200]);
    return target;
  };
  const { id, location } = await addAnimal(store);
  const path = `/v1/pets/${id}`;
  expect(await follow(location, '/v1/pets')).toBe(url + path);

  // The links of a deprecated operation.
  const links = ((await request(path)).headers.get('Link') ?? '').matchAll(/<([^>]*)>/g);
  const targets = Array.from(links, ([, reference = '']) => follow(reference, path));
  expect(await Promise.all(targets)).toEqual([
    `${url}/v1/pets?id=${id}`,
    `${url}/docs#/animals/getPet`,
  ]);

  const { text } = await request('/v1/openapi.json');
  const server = /"servers": \[\s*\{\s*"url": "([^"]+)"/.exec(text)?.[1] ?? '';
  expect(await follow(server, '/v1/openapi.json')).toBe(`${url}/v1`);

  for (const from of ['/', '/v1']) {
    const { json } = await request(from, { headers: { Accept: 'application/json' } });
    const references = Object.values(isJsonObject(json) ? json : {});
    expect(references).toHaveLength(9);
    for (const reference of references) await follow(String(reference), from);
  }
});

/** Follows a list's links; prints each requested URL, and all ids. */
const PYTHON_CLIENT = `
import json, re, sys
from urllib.parse import urljoin
from urllib.request import Request, urlopen
url, key = sys.argv[1:]
asked, ids = [], []
while url:
    response = urlopen(Request(url, headers={"Authorization": "Bearer " + key}))
    asked.append(response.url)
    ids += [str(animal["id"]) for animal in json.load(response)]
    next = re.search('<([^>]*)>; rel="next"', response.headers["Link"])
    url = next and urljoin(response.url, next[1])
print(json.dumps([asked, ids]))
`;

test.each(STORES)('a Python client follows %s references to all pages', async (_kind, store) => {
  const { id: first } = await addAnimal(store);
  const ids: string[] = [];
  while (ids.length < 3) ids.push((await addAnimal(store)).id);
  const list = `${store.url}/v1/pets?limit=2`;
  const args = ['-c', PYTHON_CLIENT, `${list}&after=${first}`, store.key];
  await using python = runProgram('python3', args, {});
  await python.exit;
  expect(JSON.parse(python.stdout())).toEqual([
    [`${list}&after=${first}`, `${list}&after=${ids[1]}`],
    ids,
  ]);
});

/** Returns the references in a page's elements, except absolute ones. */
function referencesOf(html: string): string[] {
  const markup = html.replaceAll(/(<script[^>]*>)[^]*?<\/script>|<base[^>]*>/g, '$1');
  const attributes = markup.matchAll(/\s(?:href|src|data-document)="([^"]+)"/g);
  return Array.from(attributes, ([, value = '']) => value).filter(
    (value) => !/^(?:#|data:)/.test(value),
  );
}

const PAGES = ['', '/', '/v1', '/v1/', '/docs', '/docs/', '/graphql', '/graphql/', '/nowhere/x'];

test.each(PAGES)('everything that the page at /store%s loads and links to exists', async (path) => {
  for (const { url } of [relative, absolute]) {
    const page = await fetch(url + path, { headers: BROWSER });
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    const [, base = ''] = /<base href="([^"]+)">/.exec(html) ?? [];
    for (const reference of referencesOf(html)) {
      const target = new URL(reference, new URL(base, page.url)).href;
      expect(target).toContain(`${url}/`);
      expect([target, (await fetch(target, { headers: BROWSER })).status]).toEqual([target, 200]);
    }
  }
});
