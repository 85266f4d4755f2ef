import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
  referenceTo,
  protectPage,
  redirectTrailingSlash,
} from '@store-gateway/http';
import { printJson } from '@store-gateway/rest/openapi';
import type { Rest } from '@store-gateway/rest';
import { GRAPHQL_PATH } from '../surface.ts';
import { DOCUMENTATION } from './addresses.ts';
import type { Frame } from './frame.ts';
import { HTML, pageSources, renderPage } from './html.ts';

const STYLES = ['reference.css', 'operation.css', 'panel.css'];

/** The REST documentation: the OpenAPI document as a page, with forms to try its operations. */
export function createDocs(rest: Rest, frame: Frame, publicUrl: string | undefined): Router {
  const router = express.Router({ caseSensitive: true });
  router.all(
    '/',
    protectPage(pageSources(frame)),
    redirectTrailingSlash,
    servePublicDocument(async () =>
      preparePublicDocument(await page(rest, frame, publicUrl), HTML),
    ),
  );
  return router;
}

const to = (target: string): string => referenceTo(target, { from: DOCUMENTATION });

/** All its references are relative, so that it works behind a proxy's prefix. */
async function page(rest: Rest, frame: Frame, publicUrl: string | undefined): Promise<string> {
  const { basePath } = rest;
  // Loaded at the first request, not at start.
  const { renderReference } = await import('@store-gateway/rest/reference');
  const { navigation, content } = renderReference(await printJson(rest, publicUrl));
  const baseUrl =
    publicUrl === undefined
      ? ` In the samples, BASE_URL is this page’s address with ${basePath.slice(1)} instead of docs.`
      : '';
  const openApi = to(`${basePath}/openapi.json`);
  return renderPage(frame, {
    path: DOCUMENTATION,
    title: `REST documentation · ${frame.title}`,
    styles: STYLES,
    scripts: ['reference.js'],
    skipTo: 'content',
    body: `<div class="reference">
    <aside class="side controls">
      <noscript><p class="facts">To try operations here, enable JavaScript.${baseUrl}</p></noscript>
      <button type="button" class="fold" aria-expanded="false" aria-controls="contents">Contents</button>
      <div id="contents">
      <nav aria-label="Operations and schemas">${navigation.markup}</nav>
      <p class="facts">For tools: OpenAPI as <a href="${openApi}">JSON</a> or
        <a href="${to(`${basePath}/openapi.yaml`)}">YAML</a>, or as a
        <a href="${openApi}" download="openapi.json">file for Postman</a>. The same data over <a href="${to(GRAPHQL_PATH)}">GraphQL</a>.</p>
      </div>
    </aside>
    <main id="content" tabindex="-1" data-server="${to(basePath)}" data-key-item="${frame.keyItem}" data-scopes-item="${frame.keyItem}:scopes" data-key-event="api-key">
    ${content.markup}
    </main>
    </div>`,
  });
}
