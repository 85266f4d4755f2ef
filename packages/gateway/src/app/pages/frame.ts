import { escapeHtml } from '@gateway/openapi-reference/html';
import type { Rest } from '@gateway/graphql-rest/rest';
import type { Gateway } from '../../gateway.ts';
import { firstList } from '../../store.ts';
import { findAssets, type Assets } from './assets.ts';
import type { LandingPage } from './store-pages.ts';

/** What all pages of a store have. */
export interface Frame {
  /** The name of the store for people, as HTML. */
  readonly title: string;
  /** Shapes in SVG of 16 by 16. */
  readonly icon: string;
  /** The element for the API key. */
  readonly keyField: string;
  /** The item of the browser's session storage that has the key once it works. */
  readonly keyItem: string;
  /** The store's own, or a plain one. */
  readonly landing: LandingPage;
  /** What GraphiQL opens with. */
  readonly firstQueries: readonly string[];
  /** Files of Markdown. */
  readonly guides: readonly URL[];
  readonly assets: Assets;
}

const PLAIN: LandingPage = {
  styles: [],
  script: new URL('browser/api-key.js', import.meta.url),
  main: ({ title, addresses }) => `
      <h1>${title}</h1>
      ${addresses}`,
};

const DOT = '<circle cx="8" cy="8" r="6"/>';

export function createFrame(
  { title, access: { keyPrefix }, serviceName, pages }: Gateway,
  rest: Rest,
): Frame {
  const { icon = DOT, landing = PLAIN, firstQueries = [], guides = [] } = pages;
  const keyItem = `${serviceName}:api-key`;
  const list = firstList(rest);
  // The smallest request that needs a key.
  const check =
    list === undefined ? '/graphql?query={__typename}' : `${rest.basePath}${list.path}?limit=1`;
  return {
    title: escapeHtml(title),
    icon,
    keyField: `<api-key-field data-prefix="${keyPrefix}" data-item="${keyItem}" data-check="${check.slice(1)}"></api-key-field>`,
    keyItem,
    landing,
    firstQueries,
    guides,
    assets: findAssets(landing),
  };
}
