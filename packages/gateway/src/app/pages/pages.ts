import express, { type Router } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
  protectPage,
  JSON_TYPE,
} from '@store-gateway/http';
import type { Frame } from './frame.ts';
import { HTML, pageSources, renderPage } from './html.ts';
import type { Store } from '../../definition.ts';
import type { Config } from '../../config/config.ts';
import { introspection, printedSchema } from '../../graphql/printed-schema.ts';
import { addresses, DOCUMENTATION, INTROSPECTION, SCHEMA } from './addresses.ts';
import { ASSETS, createAssets } from './assets.ts';
import { createDocs } from './docs.ts';
import { GUIDES } from './guides/guide-files.ts';
import { createGuides } from './guides/guides.ts';
import { mountLanding } from './landing.ts';
import { createPlaygroundAssets, PLAYGROUND_ASSETS } from './playground.ts';

/** Where the identity provider sends people back to: the one redirect URI of the service's pages. */
const SIGN_IN = '/sign-in';

/** The page that exchanges the provider's code for a token, and leads back to the page that one came from. */
function createSignIn(frame: Frame): Router {
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

/** The pages and documents that need no key. */
export function createPages(
  { schema, rest }: Store,
  frame: Frame,
  options: Pick<Config, 'graphqlIntrospection' | 'publicUrl'>,
): Router {
  const router = express.Router({ caseSensitive: true });
  mountLanding(router, '/', frame, addresses(rest, frame, options));
  router.use(PLAYGROUND_ASSETS, createPlaygroundAssets());
  router.use(ASSETS, createAssets(frame.assets));
  router.use(DOCUMENTATION, createDocs(rest, frame, options.publicUrl));
  if (frame.providerOrigin !== undefined) {
    router.use(createSignIn(frame));
  }
  if (frame.guides.length > 0) {
    router.use(GUIDES, createGuides(frame));
  }
  // Without introspection, the schema isn't public.
  if (options.graphqlIntrospection) {
    router.all(
      SCHEMA,
      servePublicDocument(() =>
        preparePublicDocument(printedSchema(schema), 'text/plain; charset=utf-8'),
      ),
    );
    router.all(
      INTROSPECTION,
      servePublicDocument(() => preparePublicDocument(introspection(schema), JSON_TYPE)),
    );
  }
  return router;
}
