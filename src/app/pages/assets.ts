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

/** The files in `browser/` that are served, and their media types. */
const FILES: Readonly<Record<string, string>> = {
  'api-key.css': STYLE,
  'api-key.js': SCRIPT,
  'tokens.css': STYLE,
};

/** The scripts and styles that the pages share. */
export function createAssets(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  for (const [name, mediaType] of Object.entries(FILES)) {
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
