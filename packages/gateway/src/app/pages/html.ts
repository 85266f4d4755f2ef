import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { referenceFile } from './assets.ts';
import type { Frame } from './frame.ts';
import { protectPage } from '@gateway/http-server/http/security-headers';

export const HTML = 'text/html; charset=utf-8';

/** Inline, so that browsers don't request /favicon.ico. */
function iconUrl({ icon }: Frame): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8f63">${icon}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** HTML. */
interface PageParts {
  readonly title: string;
  /** Additional elements of its head. */
  readonly head: string;
  readonly body: string;
}

export function renderPage(frame: Frame, { title, head, body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${iconUrl(frame)}">
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}

interface OwnPageParts extends Omit<PageParts, 'body'> {
  /** What `main` holds. */
  readonly main: string;
}

/**
 * Pages in our own style, with references relative to the service's root: what protects them, and how they are rendered. The
 * style sheets are inline: a page that isn't there needs no more requests.
 *
 * @param directives what they may load besides
 */
export function createOwnStyle(
  frame: Frame,
  sheets: readonly URL[],
  directives: Readonly<Record<string, readonly string[]>> = {},
) {
  const own = new URL('style.css', import.meta.url);
  const style = [referenceFile('base.css'), own, ...sheets]
    .map((sheet) => readFileSync(sheet, 'utf8'))
    .join('');
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    protect: protectPage({ styleSrc: [`'sha256-${hash}'`], imgSrc: ['data:'], ...directives }),
    render: ({ title, head, main }: OwnPageParts): string =>
      renderPage(frame, {
        title,
        head: `<style>${style}</style>${head}`,
        body: `<header><div>
      <a class="brand" href="./"><svg viewBox="0 0 16 16" aria-hidden="true">${frame.icon}</svg>${frame.title}</a>
      <nav aria-label="Explorers"><ul>
        <li><a href="graphql">GraphiQL</a></li>
        <li><a href="docs">REST documentation</a></li>
      </ul></nav>
    </div></header>
    <main>${main}</main>`,
      }),
  };
}
