import type { Request, Response } from 'express';
import { renderPlayground } from '../graphql/playground.ts';

/** Sends GraphiQL, compressed if the browser takes gzip, or 304 if it has it already. */
export async function sendPlayground(request: Request, response: Response): Promise<void> {
  const page = await renderPlayground();
  response.set({
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': page.contentSecurityPolicy,
    ETag: page.etag,
    Vary: 'Accept, Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
  });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  response.type('html');
  if (request.acceptsEncodings('gzip') === 'gzip') {
    response.set('Content-Encoding', 'gzip').send(page.gzipped);
  } else {
    response.send(page.html);
  }
}
