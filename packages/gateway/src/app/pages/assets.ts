import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';
import type { Frame } from './frame.ts';

/** Where all scripts and styles are. Scripts find the service at their parent folder, so this is one segment. */
export const ASSETS = '/assets';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** @param name of a script, a style sheet or a font */
export function mediaTypeOf(name: string): string {
  const extension = extname(name);
  return MEDIA_TYPES[extension] ?? `font/${extension.slice(1)}`;
}

const OWN_FILES = ['api-key.css', 'api-key.js', 'key-check.js', 'tokens.css'];

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
];

/** The scripts and styles of the pages. */
export function createAssets({ pages: { landing } }: Frame): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  const files = [
    ...OWN_FILES.map((name) => [name, new URL(`browser/${name}`, import.meta.url)] as const),
    ...REFERENCE_FILES.map((name) => [name, referenceFile(name)] as const),
    ...(landing?.scripts.names ?? []).map(
      (name) => [name, new URL(name, landing?.scripts.folder)] as const,
    ),
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

/** The reference from the pages, all of which are in the same folder, the service's root. */
const reference = (name: string) => `${ASSETS.slice(1)}/${name}`;

/**
 * The elements that load a page's styles and scripts, all at once: what modules import would otherwise be asked for once
 * they are there.
 *
 * @param names of the modules that run, and all that they import
 */
export function loadAssets(names: readonly string[]): string {
  return names
    .map((name) =>
      name.endsWith('.css')
        ? `<link rel="stylesheet" href="${reference(name)}">`
        : `<link rel="modulepreload" href="${reference(name)}">`,
    )
    .join('\n    ');
}

export function runScript(name: string): string {
  return `<script type="module" src="${reference(name)}"></script>`;
}
