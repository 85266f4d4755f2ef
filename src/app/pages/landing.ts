import express, { type Router } from 'express';
import { forBrowsers } from '../../http/accept.ts';
import { JSON_TYPE } from '../../http/json-type.ts';
import { preparePublicDocument, servePublicDocument } from '../../http/public-document.ts';
import { HTML, protectPlainPage, renderPlainPage } from './html.ts';

interface Destination {
  /** Its name in the JSON. */
  readonly name: string;
  readonly address: string;
  readonly title: string;
  readonly description: string;
}

/** What leads from `/` to all else: a page for browsers, JSON for clients. */
export function createLanding(destinations: readonly Destination[]): Router {
  const router = express.Router({ caseSensitive: true });
  router.all('/', (_request, response, next) => {
    response.vary('Accept');
    next();
  });
  router.all(
    '/',
    forBrowsers([JSON_TYPE]),
    protectPlainPage,
    servePublicDocument(() => preparePublicDocument(page(destinations), HTML)),
  );
  router.all(
    '/',
    servePublicDocument(() => preparePublicDocument(index(destinations), JSON_TYPE)),
  );
  return router;
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
