import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { gateway as animals } from '../../../src/gateway.ts';
import { createDatabase, TEMPLATE } from '../../../test/support/database.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { createGateway, startGateway } from '../src/gateway.ts';

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

/** A store of animals with these guides. */
async function serve(files: Readonly<Record<string, string>>) {
  const directory = await temporaryDirectory();
  const guides = await Promise.all(
    Object.entries(files).map(async ([name, text]) => {
      const path = `${directory.path}/${name}`;
      await writeFile(path, text);
      return pathToFileURL(path);
    }),
  );
  const gateway = createGateway({ ...animals, pages: { guides } });
  const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const started = await startGateway(gateway, { DATABASE_URL });
  const open = async (path: string) => {
    const response = await fetch(started.url + path, { headers: { Accept: 'text/html' } });
    return { status: response.status, text: await response.text() };
  };
  return {
    open,
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('markup in a guide is text, and links lead to guides and web pages only', async () => {
  await using store = await serve({ 'first.md': HOSTILE, 'other.md': '# Other\n\n## S\n' });
  const { text } = await store.open('/guides/first');
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

test('a store without guides has no address for them', async () => {
  await using store = await serve({});
  expect((await store.open('/guides')).status).toBe(404);
  expect((await store.open('/')).text).not.toContain('guides');
});
