import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gateway as animals } from '../../src/gateway.ts';
import { anchorsOf, linksOf } from '../support/documentation/links.ts';
import { errorBody } from '../support/error-body.ts';
import { startGateway } from '../support/gateway.ts';

const { url } = await startGateway();
const guides = animals.pages.guides ?? [];
const GUIDES = guides.map((file) => ({
  name: file.pathname.replace(/^.*\/(.*)\.md$/, '$1'),
  file,
}));

const open = async (path: string) =>
  (await fetch(url + path, { headers: { Accept: 'text/html' } })).text();

/** Returns the targets of the links in a page's content. */
const linksIn = (page: string) =>
  Array.from(
    page.slice(page.indexOf('<main')).matchAll(/<a href="([^"]*)"/g),
    ([, link = '']) => link,
  );

test('/guides lists the guides, each with its audience', async () => {
  const page = await open('/guides');
  expect(linksIn(page)).toEqual(expect.arrayContaining(GUIDES.map(({ name }) => `guides/${name}`)));
  const whos = Array.from(page.matchAll(/<dd>(\w+)/g), ([, who]) => who);
  expect(whos).toEqual(GUIDES.map(() => 'For'));
});

test.each(GUIDES)(
  "/guides/$name has its Markdown file's sections under the same anchors, and its links work",
  async ({ name, file }) => {
    const markdown = await readFile(file, 'utf8');
    const page = await open(`/guides/${name}`);
    const ids = Array.from(page.matchAll(/<h\d id="([^"]+)"/g), ([, id]) => id);
    expect(ids).toEqual(anchorsOf(markdown));
    expect(page).toContain(`<title>${/^# (.*)$/m.exec(markdown)?.[1]} · `);
    expect(page).not.toContain('&lt;!--');
    const links = linksIn(page).filter((link) => !link.startsWith('https://'));
    for (const link of links) {
      const { pathname, hash } = new URL(link, `${url}/guides/${name}`);
      expect([link, await open(pathname)]).toEqual([
        link,
        expect.stringContaining(`id="${hash.slice(1)}`),
      ]);
    }
    // Guides are the only repository files that are served.
    const between = linksOf(markdown).filter((link) => {
      const [target = ''] = link.split('#');
      return target === '' || GUIDES.some((guide) => target === `${guide.name}.md`);
    });
    expect(links).toHaveLength(between.length);
  },
);

test('an unknown guide returns 404', async () => {
  for (const name of ['nothing', 'API', '..%2fapi', 'api.md', 'operations']) {
    const response = await fetch(`${url}/guides/${name}`);
    expect([name, response.status, await response.text()]).toEqual([
      name,
      404,
      errorBody(404, 'NOT_FOUND', 'There is nothing at this address'),
    ]);
  }
});
