import { afterAll, expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { runProgram } from '../support/process.ts';
import { startStoreBehindProxy, type StoreBehindProxy } from './support/store-behind-proxy.ts';

/** Behind HAProxy under /store: without PUBLIC_URL, and with it. */
const relative = await startStoreBehindProxy({ hasPrefix: true });
const absolute = await startStoreBehindProxy({ hasPrefix: true, hasPublicUrl: true });
afterAll(async () => {
  await Promise.all([relative[Symbol.asyncDispose](), absolute[Symbol.asyncDispose]()]);
});

const STORES = [
  ['relative', relative],
  ['absolute', absolute],
] as const;
const BROWSER = { Accept: 'text/html,*/*;q=0.8' };

/** Where a response's reference leads a client, who sends the key there; expects that it is of that kind, and a 200. */
async function follow(
  { url, key }: StoreBehindProxy,
  reference: string,
  { from, kind }: { readonly from: string; readonly kind: 'relative' | 'absolute' },
): Promise<string> {
  expect(URL.canParse(reference)).toBe(kind === 'absolute');
  const target = new URL(reference, url + from).href;
  expect(target).toContain(`${url}/`);
  const { status } = await fetch(target, {
    headers: { ...BROWSER, Authorization: `Bearer ${key}` },
  });
  expect([target, status]).toEqual([target, 200]);
  return target;
}

/** Adds an animal; its id, and where Location says it is. */
async function addAnimal({ request }: StoreBehindProxy) {
  const { headers, text } = await request('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });
  return { id: /"id":(\d+)/.exec(text)?.[1] ?? '', location: headers.get('Location') ?? '' };
}

test.each(STORES)('by %s references, a new animal is where Location leads', async (kind, store) => {
  const { id, location } = await addAnimal(store);
  const target = await follow(store, location, { from: '/v1/pets', kind });
  expect(target).toBe(`${store.url}/v1/pets/${id}`);
});

/** Follows a list's links; prints each URL that was asked, and all ids. */
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

test.each(STORES)('by %s references, a client in Python visits all pages', async (_kind, store) => {
  const { id: first } = await addAnimal(store);
  const ids = [
    (await addAnimal(store)).id,
    (await addAnimal(store)).id,
    (await addAnimal(store)).id,
  ];
  const list = `${store.url}/v1/pets?limit=2`;
  const args = ['-c', PYTHON_CLIENT, `${list}&after=${first}`, store.key];
  await using python = runProgram('python3', args, {});
  await python.exit;
  expect(JSON.parse(python.stdout())).toEqual([
    [`${list}&after=${first}`, `${list}&after=${ids[1]}`],
    ids,
  ]);
});

test.each(STORES)('by %s references, a deprecation leads to what is there', async (kind, store) => {
  const { id } = await addAnimal(store);
  const path = `/v1/pets/${id}`;
  const { headers } = await store.request(path);
  const links = (headers.get('Link') ?? '').matchAll(/<([^>]*)>/g);
  const targets = await Promise.all(
    Array.from(links, ([, reference = '']) => follow(store, reference, { from: path, kind })),
  );
  expect(targets).toEqual([`${store.url}/v1/pets?id=${id}`, `${store.url}/docs#/animals/getPet`]);
});

test.each(STORES)(
  'by a %s reference, the OpenAPI document names its server',
  async (kind, store) => {
    const { text } = await store.request('/v1/openapi.json');
    const server = /"servers": \[\s*\{\s*"url": "([^"]+)"/.exec(text)?.[1] ?? '';
    const target = await follow(store, server, { from: '/v1/openapi.json', kind });
    expect(target).toBe(`${store.url}/v1`);
  },
);

test.each(STORES)('by %s references, / and /v1 list what is there', async (kind, store) => {
  for (const from of ['/', '/v1']) {
    const { json } = await store.request(from, { headers: { Accept: 'application/json' } });
    const references = Object.values(isJsonObject(json) ? json : {});
    expect(references).toHaveLength(9);
    for (const reference of references) {
      await follow(store, String(reference), { from, kind });
    }
  }
});

/** The references of a page's elements, without those that are whole in themselves. */
function referencesOf(html: string): string[] {
  const markup = html.replaceAll(/(<script[^>]*>)[^]*?<\/script>|<base[^>]*>/g, '$1');
  const attributes = markup.matchAll(/\s(?:href|src|data-document)="([^"]+)"/g);
  return Array.from(attributes, ([, value = '']) => value).filter(
    (value) => !/^(?:#|data:)/.test(value),
  );
}

const PAGES = ['', '/', '/v1', '/v1/', '/docs', '/docs/', '/graphql', '/graphql/', '/nowhere/x'];

test.each(PAGES)('the page at /store%s has all that it loads and links to', async (path) => {
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
