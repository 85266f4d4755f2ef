import type { IRouter } from 'express';
import { forBrowsers } from '@gateway/http-server/http/accept';
import { JSON_TYPE } from '@gateway/http-server/http/send';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import type { Destination } from './addresses.ts';
import { HTML } from './html.ts';
import type { Landing } from './landing-page.ts';

/** The list of all addresses: a page for browsers, JSON for clients. */
export function mountLanding(
  router: IRouter,
  path: string,
  { protect, render }: Landing,
  destinations: readonly Destination[],
): void {
  router.all(
    path,
    redirectTrailingSlash,
    forBrowsers([JSON_TYPE]),
    protect,
    servePublicDocument(() => preparePublicDocument(render(destinations), HTML)),
  );
  router.all(
    path,
    servePublicDocument(() => preparePublicDocument(index(destinations), JSON_TYPE)),
  );
}

function index(destinations: readonly Destination[]): string {
  return JSON.stringify(
    Object.fromEntries(destinations.map(({ name, address }) => [name, address])),
  );
}
