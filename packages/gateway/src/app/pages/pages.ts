import type { Store } from '../../definition.ts';
import express, { type Router } from 'express';
import { preparePublicDocument, servePublicDocument, JSON_TYPE } from '@store-gateway/http';
import type { Config } from '../../config/config.ts';
import { introspection, printedSchema } from '../../graphql/printed-schema.ts';
import { addresses, DOCUMENTATION, INTROSPECTION, SCHEMA } from './addresses.ts';
import { ASSETS, createAssets } from './assets.ts';
import { createDocs } from './docs.ts';
import type { Frame } from './frame.ts';
import { GUIDES } from './guides/guide-files.ts';
import { createGuides } from './guides/guides.ts';
import { mountLanding } from './landing.ts';
import { createSignIn } from './sign-in.ts';
import { createPlaygroundAssets, PLAYGROUND_ASSETS } from './playground.ts';

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
