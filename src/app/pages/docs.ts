import { readFile } from 'node:fs/promises';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { referenceTo } from '@gateway/http-server/http/reference';
import { protectPage } from '@gateway/http-server/http/security-headers';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import { printJson } from '@gateway/pothos-rest/openapi/printed';
import { BASE_PATH, rest } from '../../rest/rest.ts';
import type { Config } from '../../config.ts';
import { GRAPHQL_PATH } from '../surface.ts';
import { ASSETS } from './assets.ts';
import { HTML, NAME, renderPage } from './html.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What the page loads from below its address, and the media types. */
const FILES: Readonly<Record<string, string>> = {
  'reference.css': STYLE,
  'operation.css': STYLE,
  'panel.css': STYLE,
  'reference.js': SCRIPT,
  'base-url.js': SCRIPT,
  'exact-json.js': SCRIPT,
  'highlight.js': SCRIPT,
  'try-it.js': SCRIPT,
};

/** The REST documentation: the OpenAPI document as a page, with forms to try its operations. */
export function createDocs(address: string, { publicUrl }: Pick<Config, 'publicUrl'>): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(
    protectPage({
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ['data:'],
      connectSrc: ["'self'"],
    }),
  );
  router.all(
    '/',
    redirectTrailingSlash,
    servePublicDocument(async () => preparePublicDocument(await page(address, publicUrl), HTML)),
  );
  for (const [name, mediaType] of Object.entries(FILES)) {
    const file = new URL(import.meta.resolve(`@gateway/openapi-reference/browser/${name}`));
    router.all(
      `/${name}`,
      servePublicDocument(async () => preparePublicDocument(await readFile(file), mediaType)),
    );
  }
  return router;
}

/** All its references are relative, so that it works behind a proxy's prefix. */
async function page(address: string, publicUrl: string | undefined): Promise<string> {
  // Loaded at the first request, not at start.
  const { renderReference } = await import('@gateway/openapi-reference/render-reference');
  const { navigation, content } = renderReference(await printJson(rest, publicUrl));
  const to = (target: string) => referenceTo(target, { from: address });
  const own = (mediaType: string) =>
    Object.keys(FILES)
      .filter((name) => FILES[name] === mediaType)
      .map((name) => to(`${address}/${name}`));
  const shared = (name: string) => to(`${ASSETS}/${name}`);
  const links = [
    ...[shared('tokens.css'), shared('api-key.css'), ...own(STYLE)].map(
      (file) => `<link rel="stylesheet" href="${file}">`,
    ),
    // What modules import would otherwise be asked for once they are there.
    ...own(SCRIPT).map((file) => `<link rel="modulepreload" href="${file}">`),
  ];
  return renderPage({
    title: `REST API · ${NAME}`,
    head: `${links.join('\n    ')}
    <script type="module" src="${shared('api-key.js')}"></script>
    <script type="module" src="${to(`${address}/reference.js`)}"></script>`,
    body: `<header class="side">
      <a class="home" href="${to('/')}">${NAME}</a>
      <api-key-field></api-key-field>
      <nav aria-label="Reference">${navigation.markup}</nav>
      <p class="facts">For tools: OpenAPI as <a href="${to(`${BASE_PATH}/openapi.json`)}">JSON</a> or
        <a href="${to(`${BASE_PATH}/openapi.yaml`)}">YAML</a>. The same by <a href="${to(GRAPHQL_PATH)}">GraphQL</a>.</p>
    </header>
    <main data-server="${to(BASE_PATH)}" data-key-item="animal-store-gateway:api-key" data-key-event="api-key">
    <noscript><p>To try operations here, switch JavaScript on. BASE_URL in the samples is this page's address with v1 instead of docs.</p></noscript>
    ${content.markup}
    </main>`,
  });
}
