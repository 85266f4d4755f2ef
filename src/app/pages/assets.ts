import { readFile } from 'node:fs/promises';
import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';

/** What all pages share. Scripts find the service at their parent folder, so this is one segment. */
export const ASSETS = '/assets';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

/** The scripts of the landing page, and all that they import. */
export const LANDING_SCRIPTS = [
  'landing.js',
  'animals.js',
  'api-key.js',
  'find.js',
  'json-view.js',
  'key-check.js',
  'request-panel.js',
  'requests.js',
] as const;

const STYLES = ['api-key.css', 'tokens.css'] as const;

/** The files in `browser/` that are served, with their media types. */
const files = [
  ...LANDING_SCRIPTS.map((name) => [name, SCRIPT] as const),
  ...STYLES.map((name) => [name, STYLE] as const),
];

/** The scripts and styles that the pages share. */
export function createAssets(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  for (const [name, mediaType] of files) {
    router.all(
      `/${name}`,
      servePublicDocument(async () =>
        preparePublicDocument(
          await readFile(new URL(`browser/${name}`, import.meta.url)),
          mediaType,
        ),
      ),
    );
  }
  return router;
}
