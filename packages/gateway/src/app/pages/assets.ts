import { readdirSync, readFileSync } from 'node:fs';
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

/** The scripts and style sheets of all pages, by name. */
export type Assets = ReadonlyMap<string, URL>;

const OWN = new URL('browser/', import.meta.url);
const IMPORT = /\bfrom '\.\/([^']+)';$/gm;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** @param name of a script, a style sheet or a font */
export function mediaTypeOf(name: string): string {
  const extension = extname(name);
  return MEDIA_TYPES[extension] ?? `font/${extension.slice(1)}`;
}

/** Those of the gateway, of the reference, and of the folder with a landing page's script. */
export function findAssets(landingScript: URL): Assets {
  const folders = [OWN, new URL('./', referenceFile('base.css')), new URL('./', landingScript)];
  return new Map(
    folders.flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => extname(name) in MEDIA_TYPES)
        .map((name) => [name, new URL(name, folder)] as const),
    ),
  );
}

/** A script or style sheet of the reference. */
export function referenceFile(name: string): URL {
  return new URL(import.meta.resolve(`@gateway/openapi-reference/browser/${name}`));
}

export function createAssets(assets: Assets): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  for (const [name, file] of assets) {
    router.all(
      `/${name}`,
      servePublicDocument(async () =>
        preparePublicDocument(await readFile(file), mediaTypeOf(name)),
      ),
    );
  }
  return router;
}

/** The reference from the pages, all of which are in the same folder, the service's root. */
const reference = (name: string) => `${ASSETS.slice(1)}/${name}`;

/**
 * The elements that load a page's style sheets and modules, all at once: what modules import would otherwise be asked for
 * once they are there.
 */
export function loadAssets(
  assets: Assets,
  styles: readonly string[],
  scripts: readonly string[],
): string {
  const modules = new Set<string>();
  for (const script of scripts) {
    addModule(modules, script, assets);
  }
  return [
    ...styles.map((name) => `<link rel="stylesheet" href="${reference(name)}">`),
    ...Array.from(modules, (name) => `<link rel="modulepreload" href="${reference(name)}">`),
    ...scripts.map((name) => `<script type="module" src="${reference(name)}"></script>`),
  ].join('\n    ');
}

/** Adds a module and all that it imports. */
function addModule(modules: Set<string>, name: string, assets: Assets): void {
  const file = assets.get(name);
  if (file !== undefined && !modules.has(name)) {
    modules.add(name);
    for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      addModule(modules, imported, assets);
    }
  }
}
