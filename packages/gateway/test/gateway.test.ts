import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { GatewayOptions } from '../src/definition.ts';
import { StartupFailure, redactKeys } from '@store-gateway/ops';
import { expect, onTestFinished, test } from 'vitest';
import { createGateway, startGateway } from '../src/gateway.ts';
import { gateway as animals } from '../../../src/gateway.ts';
import { newDatabase } from '../../../test/support/new-database.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const books: GatewayOptions = {
  name: 'book-store',
  title: 'Book Store',
  description: 'books',
  version: '1.0.0',
  access: { keyPrefix: 'books_' },
  prisma: animals.prisma,
  load: animals.load,
};

test('the service name, metrics prefix and cluster user are derived from the name of the store', () => {
  const { serviceName, metricsPrefix, cluster } = createGateway(books);
  expect({ serviceName, metricsPrefix, cluster }).toEqual({
    serviceName: 'book-store-gateway',
    metricsPrefix: 'book_store_',
    cluster: { user: 'book_store', application: 'book-store-gateway' },
  });
});

test('createGateway reports all invalid options of a store in one error', () => {
  const faulty: GatewayOptions = {
    ...books,
    name: 'Book Store',
    title: ' ',
    access: {
      keyPrefix: 'BOOKS',
      scopes: { prices: 'a', 'loan:return': 'b', write: 'c', all: 'd', 'A b': 'e' },
    },
    prisma: { ...books.prisma, models: {}, migrations: new URL('file:///migrations') },
    pages: {
      guides: ['A b.md', 'none.md'].map((name) => new URL(`file:///nowhere/${name}`)),
    },
    defaults: { PORT: 'x', NONSENSE: '1', RATE_LIMIT: 'off', MAX_CONNECTIONS: '' },
  };
  expect(() => createGateway(faulty)).toThrow(
    new StartupFailure(
      [
        'name must be lower-case words with hyphens such as book-store, not "Book Store"',
        'title must not be empty',
        'access.keyPrefix must be 2 to 8 lower-case letters or digits and an underscore such as books_, not "BOOKS"',
        'access.scopes.write needs a different name: read, write and all are built in',
        'access.scopes.all needs a different name: read, write and all are built in',
        'names in access.scopes must be lower-case words such as prices, not "A b"',
        'prisma.models contains no models: run prisma generate',
        'prisma.migrations must end with a slash, not file:///migrations',
        'pages.guides must be files such as first-steps.md, not file:///nowhere/A%20b.md',
        'pages.guides has file:///nowhere/none.md, which does not exist',
        'defaults.NONSENSE is not a setting: see npm start -- --help',
        'defaults.PORT must be an integer between 0 and 65535, not "x"',
      ].join('; '),
    ),
  );
});

test.each(['pg-store', 'public', 'none'])(
  'a store cannot be named %s, which PostgreSQL reserves',
  (name) => {
    expect(() => createGateway({ ...books, name })).toThrow(
      new StartupFailure(`name can't be ${name}: PostgreSQL reserves that name for its own roles`),
    );
  },
);

test('API keys of every gateway in the process are redacted, even if they are percent-encoded', () => {
  createGateway({ ...books, access: { keyPrefix: 'e0_' } });
  createGateway(books);
  expect(redactKeys('asg_0123456789 books_0123456789 e0_0123456789 boks_0123456789')).toBe(
    'asg_… books_… e0_… boks_0123456789',
  );
  expect(redactKeys('b%6foks_01234567%389, %650_0123456789')).toBe('books_…, e0_…');
});

/** Starts the animal store with other options on a new database. */
async function start(options: Partial<GatewayOptions<never>> = {}, env: NodeJS.ProcessEnv = {}) {
  const gateway = createGateway({ ...animals, ...options });
  const DATABASE_URL = await newDatabase();
  return startGateway(gateway, { DATABASE_URL, ...env });
}

/** Requests a page as a browser does. */
const open = ({ url }: { readonly url: string }, path: string) =>
  fetch(url + path, { headers: { Accept: 'text/html' } });

test('startGateway serves requests in this process until the gateway is disposed of', async () => {
  const started = await start();
  const { url } = started;
  const headers = { Authorization: `Bearer ${await started.createKey('test')}` };
  await started.database.pet.create({ data: { name: 'Rex', categoryId: 7n, status: 'available' } });
  const response = await fetch(`${url}/v1/pets`, { headers });
  expect(await response.json()).toMatchObject([{ id: 1, name: 'Rex' }]);
  await started[Symbol.asyncDispose]();
  await expect(fetch(`${url}/livez`)).rejects.toThrow('fetch failed');
});

test('environment variables override the defaults of the store', async () => {
  const defaults = { RATE_LIMIT: '7/60s' };
  const limitOf = async (env: NodeJS.ProcessEnv) => {
    await using started = await start({ defaults }, env);
    const headers = { Authorization: `Bearer ${await started.createKey('test')}` };
    return (await fetch(`${started.url}/v1/pets`, { headers })).headers.get('RateLimit-Policy');
  };
  expect(await limitOf({})).toBe('"key";q=7;w=60');
  expect(await limitOf({ RATE_LIMIT: '9/60s' })).toBe('"key";q=9;w=60');
});

test('a store without REST routes serves /key and its pages, and the pages escape its title', async () => {
  const api = await animals.load();
  await using started = await start({
    title: 'Books & <Co>',
    pages: { firstQueries: ['{ a(b: "</script>&amp;") }'] },
    load: () => Promise.resolve({ ...api, rest: { ...api.rest, routes: [] } }),
  });
  const page = async (path: string) => (await open(started, path)).text();
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

test('startGateway reports the invalid setting when it fails', async () => {
  await expect(start({}, { PORT: 'x' })).rejects.toThrow('PORT must be an integer');
  await expect(start({}, { HOST: '192.0.2.1' })).rejects.toThrow('HOST');
});

const HOSTILE = `# A <b> & \`c\`

For <script>alert(1)</script> nobody. <!-- hidden -->

<img src=x onerror=alert(1)>

[j](javascript:alert(1)) [d](data:text/html,x) [f](file:///etc/passwd) ![i](x.png "t")
[up](../up.md) [o](other.md#s) [w](https://w.example/?a=1&b=%22) [here](#twice-1)

## Twice
## Twice

\`\`\`html
<script></script>
\`\`\`
`;

/** Starts the animal store with these guides. */
async function startWithGuides(files: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const guides = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = `${directory.path}/${name}`;
      await writeFile(path, text);
      return pathToFileURL(path);
    }),
  );
  return start({ pages: { guides } });
}

test('HTML in a guide is shown as text, and only links to guides and web pages become links', async () => {
  await using store = await startWithGuides({
    'first.md': HOSTILE,
    'other.md': '# Other\n\n## S\n',
  });
  const text = await (await open(store, '/guides/first')).text();
  expect(text).toContain('<title>A &lt;b&gt; &amp; c · ');
  const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'));
  expect(main).not.toMatch(/<script|<img|onerror=[^&]*>|<b>|hidden|javascript:|data:|file:|up\.md/);
  expect(main).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(main).toContain('j d f i\nup <a');
  expect(Array.from(main.matchAll(/href="([^"]*)"/g), ([, href]) => href)).toEqual([
    'other#s',
    'https://w.example/?a=1&amp;b=%22',
    'first#twice-1',
  ]);
  expect(main).toContain('<h2 id="twice-1">Twice</h2>');
  expect(main).toContain('<pre tabindex="0"><code>&lt;script&gt;&lt;/script&gt;');
});

test('a store without guides returns 404 for /guides', async () => {
  await using store = await startWithGuides({});
  expect((await open(store, '/guides')).status).toBe(404);
  expect(await (await open(store, '/')).text()).not.toContain('guides');
});
