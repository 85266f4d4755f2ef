import type { RequestHandler } from 'express';
import { renderPlayground } from '../graphql/playground.ts';
import { madeOnce } from '../http/made-once.ts';
import {
  preparePublicDocument,
  sendPublicDocument,
  type PublicDocument,
} from '../http/public-document.ts';
import { protectPage } from '../http/security-headers.ts';

interface Playground {
  readonly document: PublicDocument;
  readonly contentSecurityPolicy: string;
}

const playground = madeOnce(prepare);

/** Sends GraphiQL, under a policy of its own. */
export const sendPlayground: readonly RequestHandler[] = [
  protectPage({}),
  async (request, response) => {
    const { document, contentSecurityPolicy } = await playground();
    response.set('Content-Security-Policy', contentSecurityPolicy).vary('Accept');
    sendPublicDocument(document, request, response);
  },
];

async function prepare(): Promise<Playground> {
  const { html, contentSecurityPolicy } = await renderPlayground();
  return {
    document: await preparePublicDocument(html, 'text/html; charset=utf-8'),
    contentSecurityPolicy,
  };
}
