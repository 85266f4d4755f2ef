import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { protectPage } from '@gateway/http-server/http/security-headers';

export const HTML = 'text/html; charset=utf-8';

/** The name of the service, wherever people read it. */
export const NAME = 'Animal Store Gateway';

const TRACK =
  '<ellipse cx="8" cy="11" rx="4" ry="3.5"/><circle cx="3" cy="6" r="1.8"/><circle cx="6.4" cy="3.2" r="1.8"/><circle cx="9.8" cy="3.2" r="1.8"/><circle cx="13" cy="6" r="1.8"/>';

/** An animal's track, inline, so that browsers don't request /favicon.ico. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8f63">${TRACK}</svg>`,
)}`;

/** HTML. */
interface PageParts {
  readonly title: string;
  /** Additional elements of its head. */
  readonly head: string;
  readonly body: string;
}

export function renderPage({ title, head, body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${ICON}">
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

/** Pages in our own style, with references relative to the service's root: what protects them, and how they are rendered. */
export interface OwnStyle {
  readonly protect: RequestHandler;
  readonly render: (parts: OwnPageParts) => string;
}

/**
 * Pages with the style sheets of these names inline: a page that isn't there needs no more requests.
 *
 * @param directives what they may load besides
 */
export function createOwnStyle(
  names: readonly string[],
  directives: Readonly<Record<string, readonly string[]>> = {},
): OwnStyle {
  const style = ['browser/tokens.css', 'style.css', ...names]
    .map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'))
    .join('');
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    protect: protectPage({ styleSrc: [`'sha256-${hash}'`], imgSrc: ['data:'], ...directives }),
    render: ({ title, head, main }) =>
      renderPage({
        title,
        head: `<style>${style}</style>${head}`,
        body: `<header><div>
      <a class="brand" href="./"><svg viewBox="0 0 16 16" aria-hidden="true">${TRACK}</svg>${NAME}</a>
      <nav aria-label="Explorers"><ul>
        <li><a href="graphql">GraphiQL</a></li>
        <li><a href="docs">REST documentation</a></li>
      </ul></nav>
    </div></header>
    <main>${main}</main>`,
      }),
  };
}
