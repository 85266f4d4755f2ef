import type { RequestHandler } from 'express';
import { forBrowsers } from '@gateway/http-server/http/accept';
import { referenceTo } from '@gateway/http-server/http/reference';
import { HTML, protectPlainPage, renderPlainPage } from './html.ts';

const page = (home: string) =>
  renderPlainPage({
    title: 'Not found · Animal Store Gateway',
    body: `<main>
      <h1>Not found</h1>
      <p>There is nothing at this address.</p>
      <p><a href="${home}">All that there is: Animal Store Gateway</a></p>
    </main>`,
  });

/** A 404 page for browsers. Other clients' requests go to the next handler. */
export const sendNotFoundPage = (publicUrl: string | undefined): readonly RequestHandler[] => [
  (_request, response, next) => {
    response.vary('Accept');
    next();
  },
  forBrowsers(['application/json']),
  protectPlainPage,
  (request, response) => {
    const home = referenceTo('/', { from: request.path, publicUrl });
    response.status(404).set({ 'Content-Type': HTML, 'Cache-Control': 'no-cache' });
    response.send(page(home));
  },
];
