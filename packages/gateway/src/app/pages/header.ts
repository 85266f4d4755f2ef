import { referenceTo } from '@store-gateway/http';
import { GRAPHQL_PATH } from '../surface.ts';
import { DOCUMENTATION } from './addresses.ts';
import type { Frame } from './frame.ts';
import { GUIDES } from './guides/guide-files.ts';

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
export function renderHeader(
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
