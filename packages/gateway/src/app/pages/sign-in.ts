import express, { type Router } from 'express';
import { preparePublicDocument, servePublicDocument, protectPage } from '@store-gateway/http';
import type { Frame } from './frame.ts';
import { HTML, pageSources, renderPage } from './html.ts';

/** Where the identity provider sends people back to: the one redirect URI of the service's pages. */
const SIGN_IN = '/sign-in';

/** The page that exchanges the provider's code for a token, and leads back to the page that one came from. */
export function createSignIn(frame: Frame): Router {
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
