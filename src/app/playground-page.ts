import { Worker } from 'node:worker_threads';
import type { RequestHandler } from 'express';
import { memoize } from '@gateway/http-server/http/memoize';
import { sendPublicDocument, type PublicDocument } from '@gateway/http-server/http/public-document';
import { protectPage } from '@gateway/http-server/http/security-headers';

interface Playground {
  readonly document: PublicDocument;
  readonly contentSecurityPolicy: string;
}

const playground = memoize(prepare);

/** Sends GraphiQL, with a Content-Security-Policy of its own. */
export const sendPlayground: readonly RequestHandler[] = [
  protectPage({}),
  async (request, response) => {
    const { document, contentSecurityPolicy } = await playground();
    response.set('Content-Security-Policy', contentSecurityPolicy).vary('Accept');
    sendPublicDocument(document, request, response);
  },
];

/** In a worker thread, because putting 9 MB together and hashing them takes 0.2 s. */
async function prepare(): Promise<Playground> {
  const worker = new Worker(new URL('prepare-playground.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
}
