import { basename } from 'node:path';
import type { IRouter } from 'express';
import { forBrowsers } from '@gateway/http-server/http/accept';
import { JSON_TYPE } from '@gateway/http-server/http/send';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import type { Destination } from './addresses.ts';
import { loadAssets } from './assets.ts';
import type { Frame } from './frame.ts';
import { createOwnStyle, HTML } from './html.ts';

/** The list of all addresses: the landing page for browsers, JSON for clients. */
export function mountLanding(
  router: IRouter,
  path: string,
  frame: Frame,
  destinations: readonly Destination[],
): void {
  const { title, keyField, assets } = frame;
  const { styles, script, main } = frame.landing;
  const sheets = [new URL('browser/api-key.css', import.meta.url), ...styles];
  const style = createOwnStyle(frame, sheets, { scriptSrc: ["'self'"], connectSrc: ["'self'"] });
  const render = () =>
    style.render({
      title,
      head: `
    ${loadAssets(assets, [], [basename(script.pathname)])}`,
      main: main({ title, keyField, addresses: list(destinations) }),
    });
  router.all(
    path,
    redirectTrailingSlash,
    forBrowsers([JSON_TYPE]),
    style.protect,
    servePublicDocument(() => preparePublicDocument(render(), HTML)),
  );
  router.all(
    path,
    servePublicDocument(() => preparePublicDocument(index(destinations), JSON_TYPE)),
  );
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
