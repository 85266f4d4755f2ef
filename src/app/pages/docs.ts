import { readFile } from 'node:fs/promises';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
  type PublicDocument,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';
import { referenceTo } from '@gateway/http-server/http/reference';
import { redirectTrailingSlash } from '@gateway/http-server/http/trailing-slash';
import { BASE_PATH } from '../../rest/rest.ts';
import { HTML, renderPage } from './html.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const swaggerUI = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));
const own = new URL('browser/', import.meta.url);

/** What the page loads, by the last part of its address: the file and its media type. */
const assets: Readonly<Record<string, readonly [file: URL, mediaType: string]>> = {
  'swagger-ui.css': [new URL('swagger-ui.css', swaggerUI), STYLE],
  'swagger-ui.js': [new URL('swagger-ui-bundle.js', swaggerUI), SCRIPT],
  'docs.css': [new URL('docs.css', own), STYLE],
  'docs.js': [new URL('docs.js', own), SCRIPT],
};

/** Swagger UI on the OpenAPI document: a page, with all that it loads below its `address`. */
export function createDocs(address: string): Router {
  const router = express.Router({ caseSensitive: true });
  router.use(
    protectPage({
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      // Swagger UI's style sheet has its icons inside.
      imgSrc: ['data:'],
      connectSrc: ["'self'"],
    }),
  );
  router.all(
    '/',
    redirectTrailingSlash,
    servePublicDocument(() => preparePublicDocument(page(address), HTML)),
  );
  for (const [name, [file, mediaType]] of Object.entries(assets)) {
    router.all(
      `/${name}`,
      servePublicDocument(() => readAsset(file, mediaType)),
    );
  }
  return router;
}

function page(address: string): string {
  const base = referenceTo(address, { from: address });
  const openApi = referenceTo(`${BASE_PATH}/openapi.json`, { from: address });
  return renderPage({
    title: 'REST · Animal Store Gateway',
    head: `<link rel="stylesheet" href="${base}/swagger-ui.css">
    <link rel="stylesheet" href="${base}/docs.css">
    <script src="${base}/swagger-ui.js" defer></script>
    <script src="${base}/docs.js" defer></script>`,
    body: `<noscript>This page needs JavaScript; <a href="${openApi}">the OpenAPI document</a> doesn't.</noscript>
    <main id="docs" data-document="${openApi}"></main>`,
  });
}

async function readAsset(file: URL, mediaType: string): Promise<PublicDocument> {
  return preparePublicDocument(await readFile(file), mediaType);
}
