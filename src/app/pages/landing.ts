import type { IRouter } from 'express';
import { forBrowsers } from '@gateway/http-server/http/accept';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import type { Destination } from './addresses.ts';
import { HTML, protectPlainPage, renderPlainPage } from './html.ts';

/** The list of all addresses: a page for browsers, JSON for clients. */
export function mountLanding(
  router: IRouter,
  path: string,
  destinations: readonly Destination[],
): void {
  router.all(
    path,
    redirectTrailingSlash,
    (_request, response, next) => {
      response.vary('Accept');
      next();
    },
    forBrowsers([JSON_TYPE]),
    protectPlainPage,
    servePublicDocument(() => preparePublicDocument(page(destinations), HTML)),
  );
  router.all(
    path,
    servePublicDocument(() => preparePublicDocument(index(destinations), JSON_TYPE)),
  );
}

function page(destinations: readonly Destination[]): string {
  const links = destinations.map(
    ({ address, title, description }) =>
      `<dt><a href="${address}">${title}</a></dt>\n        <dd>${description}</dd>`,
  );
  return renderPlainPage({
    title: 'Animal Store Gateway',
    body: `<main>
      <h1>Animal Store Gateway</h1>
      <p>A store's animals over GraphQL, with the REST contract alongside. Every operation needs an API key; what is here doesn't.</p>
      <dl>
        ${links.join('\n        ')}
      </dl>
    </main>`,
  });
}

function index(destinations: readonly Destination[]): string {
  return JSON.stringify(
    Object.fromEntries(destinations.map(({ name, address }) => [name, address])),
  );
}
