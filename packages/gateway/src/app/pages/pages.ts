import { basename } from 'node:path';
import { readFile } from 'node:fs/promises';
import express from 'express';
import type { IRouter, RequestHandler, Router } from 'express';
import {
  escapeHtml,
  forBrowsers,
  JSON_TYPE,
  preparePublicDocument,
  protectPage,
  redirectTrailingSlash,
  referenceTo,
  servePublicDocument,
} from '@store-gateway/http';
import { printJson } from '@store-gateway/rest/openapi';
import type { Rest } from '@store-gateway/rest';
import {
  ASSETS,
  createAssets,
  destinationsOf,
  DOCUMENTATION,
  type Frame,
  GRAPHQL_PATH,
  HTML,
  INTROSPECTION,
  pageSources,
  renderPage,
  SCHEMA,
} from './frame.ts';
import type { Store } from '../../definition.ts';
import type { Config } from '../../config/config.ts';
import { introspection, printedSchema } from '../../graphql/printed-schema.ts';
import { GUIDES, pathOf } from './guides/guide-files.ts';
import type { Guide } from './guides/render-guide.ts';

type Destinations = ReturnType<typeof destinationsOf>;

/** Mounts the list of all addresses: the landing page for browsers, and JSON for clients. */
function mountLanding(
  router: IRouter,
  path: string,
  frame: Frame,
  destinations: Destinations,
): void {
  const { styles, script, main } = frame.landing;
  const render = () =>
    renderPage(frame, {
      path: '/',
      title: frame.title,
      styles: ['page.css', ...styles.map(assetName)],
      scripts: [assetName(script)],
      body: `<main>${main({ title: frame.title, addresses: addressList(destinations) })}</main>`,
    });
  const index = () =>
    JSON.stringify(Object.fromEntries(destinations.map(({ name, address }) => [name, address])));
  router.all(
    path,
    redirectTrailingSlash,
    forBrowsers([JSON_TYPE]),
    protectPage(pageSources(frame)),
    servePublicDocument(() => preparePublicDocument(render(), HTML)),
  );
  router.all(
    path,
    servePublicDocument(() => preparePublicDocument(index(), JSON_TYPE)),
  );
}

function assetName({ pathname }: URL): string {
  return basename(pathname);
}

function addressList(destinations: Destinations): string {
  const entries = destinations.map(
    ({ address, title, description }) =>
      `<div><dt><a href="${address}">${title}</a></dt><dd>${description}</dd></div>`,
  );
  return `<section aria-labelledby="addresses">
        <h2 id="addresses">All addresses</h2>
        <p>Operations need a key; the pages and documents don’t.</p>
        <dl class="destinations">
        ${entries.join('\n        ')}
        </dl>
      </section>`;
}

const STYLES = ['reference.css', 'operation.css', 'panel.css'];

/** Serves the REST documentation: the OpenAPI document as a page, with forms to try its operations. */
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

/** Renders the REST documentation. All its references are relative, so that it works behind a proxy's prefix. */
async function docsPage(rest: Rest, frame: Frame, publicUrl: string | undefined): Promise<string> {
  const { basePath } = rest;
  // Loaded at the first request, so that startup doesn't wait for it.
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

/** The redirect URI to which the identity provider sends people back, the same for all pages. */
const SIGN_IN = '/sign-in';

/** Serves the page that exchanges the provider's code for a token, and returns to the page where the sign-in began. */
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

/** Creates the handlers for the pages and documents that don't need an API key. */
export function createPages(
  { schema, rest }: Store,
  frame: Frame,
  options: Pick<Config, 'graphqlIntrospection' | 'publicUrl'>,
): Router {
  const router = express.Router({ caseSensitive: true });
  const destinations = destinationsOf(rest, frame, options);
  mountLanding(router, rest.basePath, frame, destinations);
  mountLanding(router, '/', frame, destinations);
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

/** Serves a 404 page to browsers. Other clients' requests go to the next handler. */
export function createNotFoundPage(frame: Frame): readonly RequestHandler[] {
  return [
    forBrowsers(['application/json']),
    protectPage({ ...pageSources(frame), baseUri: ["'self'"] }),
    (request, response) => {
      const page = renderPage(frame, {
        path: NOWHERE,
        title: `404 Not found · ${frame.title}`,
        styles: ['page.css'],
        scripts: [],
        usesKey: false,
        base: referenceTo('/', { from: request.path }),
        body: `<main>${notFoundText(request.path)}</main>`,
      });
      response.status(404).set({ 'Content-Type': HTML, 'Cache-Control': 'no-cache' }).send(page);
    },
  ];
}

/**
 * The path that the 404 page is rendered for, in the service's root. A base element makes the page's references relative to this
 * path, because references relative to a long request path would be long.
 */
const NOWHERE = '/nowhere';

/** Maximum length of a path that the page shows in full. */
const MAX_PATH_LENGTH = 200;

function notFoundText(path: string): string {
  const shown = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  return `
      <h1>404: Not found</h1>
      <p>There is nothing at <code>${escapeHtml(shown)}</code>. You may be looking for one of these:</p>
      <ul class="actions">
        <li><a class="primary" href="./">All addresses</a></li>
        <li><a href="graphql">Open GraphiQL</a></li>
        <li><a href="docs">Read the REST documentation</a></li>
      </ul>
    `;
}

/**
 * Returns a function that resolves a guide's links relative to a page: links to other guides, sections or the web. Other files of
 * the guide's repository aren't served.
 *
 * @param from the path of the page
 */
function createAddressOf(file: URL, guides: readonly URL[], from: string) {
  const paths = new Map(guides.map((guide) => [guide.href, pathOf(guide)]));
  return (reference: string): string | undefined => {
    const url = URL.parse(reference, file);
    if (url === null || /^https?:$/.test(url.protocol)) {
      return url?.href;
    }
    const { hash } = url;
    url.hash = '';
    const path = paths.get(url.href);
    return path === undefined ? undefined : referenceTo(path, { from }) + hash;
  };
}

/** Serves a store's guides as pages, and the list of them. */
function createGuides(frame: Frame): Router {
  const router = express.Router({ caseSensitive: true });
  const serve = (path: string, make: () => Promise<GuidePage>) =>
    router.all(
      path.slice(GUIDES.length) || '/',
      protectPage(pageSources(frame)),
      redirectTrailingSlash,
      servePublicDocument(async () =>
        preparePublicDocument(renderGuidePage(frame, path, await make()), HTML),
      ),
    );
  serve(GUIDES, () => listOf(frame.guides));
  for (const file of frame.guides) {
    serve(pathOf(file), () => load(file, frame.guides, pathOf(file)));
  }
  return router;
}

type GuidePage = Pick<Guide, 'title' | 'content'>;

function renderGuidePage(frame: Frame, path: string, { title, content }: GuidePage): string {
  return renderPage(frame, {
    path,
    title: `${title} · ${frame.title}`,
    styles: ['page.css', 'guide.css'],
    scripts: [],
    usesKey: false,
    body: `<main class="guide">${content}</main>`,
  });
}

/** @param from the path of the page that shows the guide */
async function load(file: URL, guides: readonly URL[], from: string): Promise<Guide> {
  // Loaded at the first request, so that startup doesn't wait for it.
  const { renderGuide } = await import('./guides/render-guide.ts');
  return renderGuide(await readFile(file, 'utf8'), createAddressOf(file, guides, from));
}

async function listOf(guides: readonly URL[]): Promise<GuidePage> {
  const entries = await Promise.all(
    guides.map(async (file) => {
      const { title, lead } = await load(file, guides, GUIDES);
      const address = referenceTo(pathOf(file), { from: GUIDES });
      return `<dt><a href="${address}">${title}</a></dt><dd>${lead}</dd>`;
    }),
  );
  return { title: 'Guides', content: `<h1>Guides</h1><dl>${entries.join('')}</dl>` };
}
