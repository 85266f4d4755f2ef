import { Worker } from 'node:worker_threads';
import express, { type RequestHandler, type Router } from 'express';
import { memoize } from '@gateway/http-server/http/memoize';
import {
  preparePublicDocument,
  sendPublicDocument,
  servePublicDocument,
  type PublicDocument,
  versioned,
} from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';
import type { PlaygroundFile } from '../../graphql/playground/files.ts';
import type { Frame } from './frame.ts';
import { HTML } from './html.ts';
import { renderPlayground } from './playground-html.ts';

type Documents = ReadonlyMap<string, PublicDocument>;

/** The files of GraphiQL, below the assets. */
export const PLAYGROUND_ASSETS = '/assets/graphiql';

const documents = memoize(readDocuments);

/** Sends GraphiQL's page. */
export function createPlayground(frame: Frame): readonly RequestHandler[] {
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
    return preparePublicDocument(renderPlayground(frame, reference), HTML);
  });

  return [
    protectPage({
      scriptSrc: ["'self'"],
      // Monaco writes style sheets of its own.
      styleSrc: ["'self'", "'unsafe-inline'"],
      fontSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
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

async function readDocuments(): Promise<Documents> {
  const prepared = (await readFiles()).map(
    async ({ name, mediaType, content }) =>
      [name, await preparePublicDocument(content, mediaType)] as const,
  );
  return new Map(await Promise.all(prepared));
}

async function readFiles(): Promise<readonly PlaygroundFile[]> {
  const worker = new Worker(new URL('../../graphql/playground/read-files.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
}
