import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
  referenceTo,
  protectPage,
  redirectTrailingSlash,
  JSON_TYPE,
} from '@store-gateway/http';
import { printJson } from '@store-gateway/rest/openapi';
import type { Rest } from '@store-gateway/rest';
import { GRAPHQL_PATH } from '../surface.ts';
import {
  DOCUMENTATION,
  type Frame,
  HTML,
  pageSources,
  renderPage,
  destinationsOf,
  INTROSPECTION,
  SCHEMA,
} from './frame.ts';
import type { Store } from '../../definition.ts';
import type { Config } from '../../config/config.ts';
import { introspection, printedSchema } from '../../graphql/printed-schema.ts';
import { ASSETS, createAssets } from './assets.ts';
import { GUIDES } from './guides/guide-files.ts';
import { createGuides } from './guides/guides.ts';
import { mountLanding } from './landing.ts';
import { createPlaygroundAssets, PLAYGROUND_ASSETS } from './playground.ts';

const STYLES = ['reference.css', 'operation.css', 'panel.css'];

/** The REST documentation: the OpenAPI document as a page, with forms to try its operations. */
function createDocs(rest: Rest, frame: Frame, publicUrl: string | undefined): Router {
  const router = express.Router({ caseSensitive: true });
  router.all(
    '/',
    protectPage(pageSources(frame)),
    redirectTrailingSlash,
    servePublicDocument(async () =>
      preparePublicDocument(await docsPage(rest, frame, publicUrl), HTML),
    ),
  );
  return router;
}

const to = (target: string): string => referenceTo(target, { from: DOCUMENTATION });

/** All its references are relative, so that it works behind a proxy's prefix. */
async function docsPage(rest: Rest, frame: Frame, publicUrl: string | undefined): Promise<string> {
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

/** Where the identity provider sends people back to: the one redirect URI of the service's pages. */
const SIGN_IN = '/sign-in';

/** The page that exchanges the provider's code for a token, and leads back to the page that one came from. */
function createSignIn(frame: Frame): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const page = renderPage(frame, {
    path: SIGN_IN,
    title: `Sign in · ${frame.title}`,
    styles: ['page.css'],
    scripts: ['sign-in.js'],
    body: `<main>
      <h1>Sign in</h1>
      <noscript><p>To sign in, enable JavaScript.</p></noscript>
      <p id="outcome" role="status"></p>
      <ul class="actions" hidden>
        <li><a class="primary" id="back" href="./">Back</a></li>
      </ul>
    </main>`,
  });
  router.all(
    SIGN_IN,
    protectPage(pageSources(frame)),
    servePublicDocument(() => preparePublicDocument(page, HTML)),
  );
  return router;
}

/** The pages and documents that need no key. */
export function createPages(
  { schema, rest }: Store,
  frame: Frame,
  options: Pick<Config, 'graphqlIntrospection' | 'publicUrl'>,
): Router {
  const router = express.Router({ caseSensitive: true });
  mountLanding(router, '/', frame, destinationsOf(rest, frame, options));
  router.use(PLAYGROUND_ASSETS, createPlaygroundAssets());
  router.use(ASSETS, createAssets(frame.assets));
  router.use(DOCUMENTATION, createDocs(rest, frame, options.publicUrl));
  if (frame.providerOrigin !== undefined) {
    router.use(createSignIn(frame));
  }
  if (frame.guides.length > 0) {
    router.use(GUIDES, createGuides(frame));
  }
  // Without introspection, the schema isn't public.
  if (options.graphqlIntrospection) {
    router.all(
      SCHEMA,
      servePublicDocument(() =>
        preparePublicDocument(printedSchema(schema), 'text/plain; charset=utf-8'),
      ),
    );
    router.all(
      INTROSPECTION,
      servePublicDocument(() => preparePublicDocument(introspection(schema), JSON_TYPE)),
    );
  }
  return router;
}
