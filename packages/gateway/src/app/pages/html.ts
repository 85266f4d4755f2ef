import { referenceTo } from '@store-gateway/http';
import { GRAPHQL_PATH } from '../surface.ts';
import { DOCUMENTATION } from './addresses.ts';
import type { Frame } from './frame.ts';
import { GUIDES } from './guides/guide-files.ts';
import { loadAssets } from './assets.ts';

const HOME = '/';

/** The pages that the header links to, after the landing page, to which the store's name leads. */
function pagesOf({ guides }: Frame) {
  return [
    { path: GRAPHQL_PATH, name: 'GraphiQL' },
    { path: DOCUMENTATION, name: 'REST documentation' },
    ...(guides.length > 0 ? [{ path: GUIDES, name: 'Guides' }] : []),
  ];
}

/**
 * The header of every page: the store's name, the links between pages and, if the page uses a key, the field for it. Below it
 * is the place where browser/outage.js says that the service does not answer.
 *
 * @param path of the page that it is on, or of another one in the same folder
 */
function renderHeader(
  frame: Frame,
  { path, usesKey }: { readonly path: string; readonly usesKey: boolean },
): string {
  const { title, icon, keyField } = frame;
  const attributes = (target: string): string =>
    `href="${referenceTo(target, { from: path })}"${currentOf(target, path)}`;
  const links = pagesOf(frame).map(
    (page) => `<li><a ${attributes(page.path)}>${page.name}</a></li>`,
  );
  return `<header class="site">
      <a class="brand" ${attributes(HOME)}><svg viewBox="0 0 16 16" aria-hidden="true">${icon}</svg>${title}</a>
      <nav aria-label="Pages"><ul>
        ${links.join('\n        ')}
      </ul></nav>${usesKey ? `\n      ${keyField}` : ''}
    </header>${usesKey ? '\n    <p id="outage" class="controls" role="status"></p>' : ''}`;
}

/** Marks the link to the current page, or to the list that the page belongs to. */
function currentOf(target: string, path: string): string {
  if (target === path) {
    return ' aria-current="page"';
  }
  return target !== HOME && path.startsWith(`${target}/`) ? ' aria-current="true"' : '';
}

export const HTML = 'text/html; charset=utf-8';

/**
 * What every page may load, for its Content-Security-Policy: what this service serves, and its icon. To sign people in, it asks
 * the identity provider too.
 */
export function pageSources({ providerOrigin }: Pick<Frame, 'providerOrigin'>) {
  return {
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ['data:'],
    connectSrc: ["'self'", ...(providerOrigin === undefined ? [] : [providerOrigin])],
  };
}

const STYLES = ['base.css', 'header.css'];
/** Of pages that send requests. */
const KEY_STYLES = ['api-key.css'];
const KEY_SCRIPTS = ['api-key.js', 'outage.js'];

interface PageParts {
  /** Of the page, or of another one in the same folder: all references are relative. */
  readonly path: string;
  /** HTML, as are `head` and `body`. */
  readonly title: string;
  /** The names of its own style sheets and modules, beside those of every page. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** Whether it sends requests, so that it has the field for the API key, and says when the service does not answer. */
  readonly usesKey?: boolean;
  /** Where its references lead from, if not from its own address. */
  readonly base?: string;
  /** The id of what a skip link leads to, past the header and whatever else is in front of it. */
  readonly skipTo?: string;
  /** More elements of its head. */
  readonly head?: string;
  /** What follows the header. */
  readonly body: string;
}

/** A page in the frame of all pages. */
export function renderPage(frame: Frame, page: PageParts): string {
  const { path, title, styles, scripts, usesKey = true, base, skipTo, head = '', body } = page;
  const allStyles = [...STYLES, ...(usesKey ? KEY_STYLES : []), ...styles];
  const allScripts = [...(usesKey ? KEY_SCRIPTS : []), ...scripts];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">${base === undefined ? '' : `\n    <base href="${base}">`}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${iconUrl(frame)}">
    ${loadAssets(frame.assets, path, allStyles, allScripts)}
    ${head}
  </head>
  <body>
    ${skipTo === undefined ? '' : `<a class="skip" href="#${skipTo}">Skip to the content</a>\n    `}${renderHeader(frame, { path, usesKey })}
    ${body}
  </body>
</html>
`;
}

/** Inline, so that browsers don't request /favicon.ico. */
function iconUrl({ icon }: Frame): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8f63">${icon}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
