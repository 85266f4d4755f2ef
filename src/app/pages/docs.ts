import { readFile } from 'node:fs/promises';
import express, { type RequestHandler, type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';
import { printJson } from '@gateway/pothos-rest/openapi/printed';
import { BASE_PATH, rest } from '../../rest/rest.ts';
import { HTML, renderPage } from './html.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** What the page loads from below its address, and the media types. */
const ASSETS: Readonly<Record<string, string>> = {
  'reference.css': STYLE,
  'operation.css': STYLE,
  'reference.js': SCRIPT,
  'base-url.js': SCRIPT,
  'exact-json.js': SCRIPT,
  'highlight.js': SCRIPT,
  'try-it.js': SCRIPT,
};

/** The REST documentation: the OpenAPI document as a page, with forms to try its operations. */
export function createDocs(): Router {
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
    leaveFolder,
    servePublicDocument(async () => preparePublicDocument(await page(), HTML)),
  );
  for (const [name, mediaType] of Object.entries(ASSETS)) {
    const file = new URL(import.meta.resolve(`@gateway/openapi-reference/browser/${name}`));
    router.all(
      `/${name}`,
      servePublicDocument(async () => preparePublicDocument(await readFile(file), mediaType)),
    );
  }
  return router;
}

/** At `/docs/`, relative references would lead elsewhere. */
const leaveFolder: RequestHandler = (request, response, next) => {
  if (request.originalUrl.startsWith(`${request.baseUrl}/`)) {
    response.redirect(308, `..${request.baseUrl}`);
    return;
  }
  next();
};

/** All its references are relative, so that it works behind a proxy's prefix. */
async function page(): Promise<string> {
  // Loaded at the first request, not at start.
  const { renderReference } = await import('@gateway/openapi-reference/render-reference');
  const { server, navigation, content } = renderReference(await printJson(rest));
  const openApi = `${BASE_PATH}/openapi.json`.slice(1);
  return renderPage({
    title: 'REST API · Animal Store Gateway',
    head: `<link rel="stylesheet" href="assets/tokens.css">
    <link rel="stylesheet" href="assets/api-key.css">
    <link rel="stylesheet" href="docs/reference.css">
    <link rel="stylesheet" href="docs/operation.css">
    <script type="module" src="assets/api-key.js"></script>
    <script type="module" src="docs/reference.js"></script>`,
    body: `<header class="side">
      <a class="home" href="./">Animal Store Gateway</a>
      <api-key-field></api-key-field>
      <nav aria-label="Reference">${navigation.markup}</nav>
      <p class="facts">For tools: <a href="${openApi}">OpenAPI as JSON</a> or <a href="v1/openapi.yaml">YAML</a>.
        The same data by <a href="graphql">GraphQL</a>.</p>
    </header>
    <main data-document="${openApi}" data-server="${server}" data-key-item="animal-store-gateway:api-key" data-key-event="api-key">
    <noscript><p>The forms need JavaScript; all else is here without. BASE_URL in the samples is this page's address with v1 instead of docs.</p></noscript>
    ${content.markup}
    </main>`,
  });
}
