import type { LandingPage } from '../../definition.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
  referenceTo,
  protectPage,
} from '@store-gateway/http';

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

/** The module that signs people in. It imports no other. */
const OAUTH = new URL(import.meta.resolve('oauth4webapi'));

/** Finds the assets of the gateway, of the reference, and of a landing page: its style sheets and the folder with its script. */
export function findAssets({ styles, script }: LandingPage): Assets {
  const reference = new URL(import.meta.resolve('@store-gateway/rest/browser/base.css'));
  const folders = [OWN, new URL('./', reference), new URL('./', script)];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => extname(name) in MEDIA_TYPES)
      .map((name) => new URL(name, folder)),
  );
  const named = [...files, ...styles].map((file) => [basename(file.pathname), file] as const);
  return new Map([...named, ['oauth4webapi.js', OAUTH]]);
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

/**
 * The elements that load a page's style sheets and modules, all at once: otherwise the browser would request imported
 * modules only after the importing ones have arrived.
 *
 * @param path of the page: references are relative
 */
export function loadAssets(
  assets: Assets,
  path: string,
  styles: readonly string[],
  scripts: readonly string[],
): string {
  const reference = (name: string) => referenceTo(`${ASSETS}/${name}`, { from: path });
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
