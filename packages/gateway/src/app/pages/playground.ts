import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import express, { type RequestHandler, type Router } from 'express';
import {
  memoize,
  preparePublicDocument,
  sendPublicDocument,
  servePublicDocument,
  type PublicDocument,
  versioned,
  versionOf,
  protectPage,
} from '@store-gateway/http';
import type { Config } from '../../config/config.ts';
import { INTROSPECTION } from './addresses.ts';
import { mediaTypeOf } from './assets.ts';
import type { Frame } from './frame.ts';
import { HTML, pageSources } from './html.ts';
import { renderPlayground } from './playground-html.ts';

type NamedDocument = readonly [name: string, document: PublicDocument];

/** The files of GraphiQL, below the assets. */
export const PLAYGROUND_ASSETS = '/assets/graphiql';

/** Our own, and those that generate.ts has written. */
const OWN = new URL('../../graphql/playground/browser/', import.meta.url);
const GENERATED = new URL('../../graphql/playground/generated/', import.meta.url);

/** What our own scripts import. */
const IMPORT = /(?<=\bfrom '\.\/[\w-]+\.js)(?=';$)/gm;

/** They have one version, by which the scripts import each other: so browsers may keep them for good. */
const ownDocuments = memoize(async (): Promise<readonly NamedDocument[]> => {
  const names = (await readdir(OWN)).filter((name) => /\.(?:css|js)$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, OWN), 'utf8')));
  const version = await versionOf(Buffer.from(texts.join('')));
  return Promise.all(
    names.map(async (name, place) => {
      const text = texts[place]?.replaceAll(IMPORT, `?${version}`) ?? '';
      return [name, { ...(await preparePublicDocument(text, mediaTypeOf(name))), version }];
    }),
  );
});

const documents = memoize(async () => {
  const generated = (await readdir(GENERATED)).map(generatedDocument);
  return new Map([...(await ownDocuments()), ...(await Promise.all(generated))]);
});

/** Sends GraphiQL's page. */
export function createPlayground(
  frame: Frame,
  { graphqlIntrospection }: Pick<Config, 'graphqlIntrospection'>,
): readonly RequestHandler[] {
  const introspection = graphqlIntrospection ? INTROSPECTION.slice(1) : undefined;
  const page = memoize(async () => {
    const files = await documents();
    const reference = (name: string) => {
      const document = files.get(name);
      if (document === undefined) {
        throw new Error(`No ${name} in GraphiQL`);
      }
      // Relative to the page, so that it holds below a proxy's prefix too.
      return versioned(`${PLAYGROUND_ASSETS.slice(1)}/${name}`, document);
    };
    const names = (await ownDocuments()).map(([name]) => name);
    const modules = names.filter((name) => name.endsWith('.js'));
    const html = renderPlayground(frame, { reference, modules, introspection });
    return preparePublicDocument(html, HTML);
  });

  return [
    protectPage({
      ...pageSources(frame),
      // Monaco writes style sheets of its own.
      styleSrc: ["'self'", "'unsafe-inline'"],
      fontSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      workerSrc: ["'self'"],
    }),
    async (request, response) => {
      response.vary('Accept');
      await sendPublicDocument(await page(), request, response);
    },
  ];
}

/** What GraphiQL's page loads. */
export function createPlaygroundAssets(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  router.all('/:name', async (request, response, next) => {
    const document = (await documents()).get(request.params.name);
    if (document === undefined) {
      next();
    } else {
      await servePublicDocument(() => Promise.resolve(document))(request, response, next);
    }
  });
  return router;
}

async function generatedDocument(file: string): Promise<NamedDocument> {
  const brotli = await readFile(new URL(file, GENERATED));
  const plain = memoize(() => promisify(brotliDecompress)(brotli));
  const name = file.slice(0, -'.br'.length);
  const document = {
    mediaType: mediaTypeOf(name),
    version: await versionOf(brotli),
    encoded: {
      br: () => Promise.resolve(brotli),
      gzip: memoize(async () => promisify(gzip)(await plain())),
      identity: plain,
    },
  };
  return [name, document];
}
