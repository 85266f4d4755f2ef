import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';

/** Where all scripts and styles are. Scripts find the service at their parent folder, so this is one segment. */
export const ASSETS = '/assets';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const OWN_FILES = [
  'animals.js',
  'api-key.css',
  'api-key.js',
  'key-check.js',
  'landing.js',
  'request-panel.js',
  'requests.js',
  'tokens.css',
] as const;

/** Of `@gateway/openapi-reference`. */
const REFERENCE_FILES = [
  'base-url.js',
  'copy-button.js',
  'find.js',
  'highlight.js',
  'json-view.js',
  'operation.css',
  'panel.css',
  'reference.css',
  'reference.js',
  'timed-fetch.js',
  'try-it.js',
] as const;

export type Asset = (typeof OWN_FILES)[number] | (typeof REFERENCE_FILES)[number];

/** The scripts and styles of the pages. */
export function createAssets(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  const files = [
    ...OWN_FILES.map((name) => [name, new URL(`browser/${name}`, import.meta.url)] as const),
    ...REFERENCE_FILES.map((name) => [name, referenceFile(name)] as const),
  ];
  for (const [name, file] of files) {
    const mediaType = MEDIA_TYPES[extname(name)] ?? '';
    router.all(
      `/${name}`,
      servePublicDocument(async () => preparePublicDocument(await readFile(file), mediaType)),
    );
  }
  return router;
}

function referenceFile(name: string): URL {
  return new URL(import.meta.resolve(`@gateway/openapi-reference/browser/${name}`));
}

/**
 * The elements that load a page's styles and scripts, all of which are asked for at once: what modules import would
 * otherwise be asked for once they are there.
 *
 * @param root the reference from the page to the service's root
 * @param names of the modules that run, and all that they import
 */
export function loadAssets(root: string, names: readonly Asset[]): string {
  return names
    .map((name) => {
      const file = `${root}${ASSETS.slice(1)}/${name}`;
      return name.endsWith('.css')
        ? `<link rel="stylesheet" href="${file}">`
        : `<link rel="modulepreload" href="${file}">`;
    })
    .join('\n    ');
}

export function runScript(root: string, name: Asset): string {
  return `<script type="module" src="${root}${ASSETS.slice(1)}/${name}"></script>`;
}
