import { basename } from 'node:path';
import type { IRouter } from 'express';
import {
  forBrowsers,
  JSON_TYPE,
  preparePublicDocument,
  servePublicDocument,
  protectPage,
  redirectTrailingSlash,
} from '@store-gateway/http';
import { type Destination, type Frame, HTML, pageSources, renderPage } from './frame.ts';

/** The list of all addresses: the landing page for browsers, JSON for clients. */
export function mountLanding(
  router: IRouter,
  path: string,
  frame: Frame,
  destinations: readonly Destination[],
): void {
  const { styles, script, main } = frame.landing;
  const render = () =>
    renderPage(frame, {
      path: '/',
      title: frame.title,
      styles: ['page.css', ...styles.map(nameOf)],
      scripts: [nameOf(script)],
      body: `<main>${main({ title: frame.title, addresses: list(destinations) })}</main>`,
    });
  router.all(
    path,
    redirectTrailingSlash,
    forBrowsers([JSON_TYPE]),
    protectPage(pageSources(frame)),
    servePublicDocument(() => preparePublicDocument(render(), HTML)),
  );
  router.all(
    path,
    servePublicDocument(() => preparePublicDocument(index(destinations), JSON_TYPE)),
  );
}

/** The name of an asset. */
function nameOf({ pathname }: URL): string {
  return basename(pathname);
}

function list(destinations: readonly Destination[]): string {
  return `<section aria-labelledby="addresses">
        <h2 id="addresses">All addresses</h2>
        <p>Operations need a key; the pages and documents don’t.</p>
        <dl class="destinations">
        ${destinations.map(link).join('\n        ')}
        </dl>
      </section>`;
}

function link({ address, title, description }: Destination): string {
  return `<div><dt><a href="${address}">${title}</a></dt><dd>${description}</dd></div>`;
}

function index(destinations: readonly Destination[]): string {
  return JSON.stringify(
    Object.fromEntries(destinations.map(({ name, address }) => [name, address])),
  );
}
