import type { RequestHandler } from 'express';
import { forBrowsers, referenceTo, protectPage, escapeHtml } from '@store-gateway/http';
import { type Frame, HTML, pageSources, renderPage } from './frame.ts';

/** A 404 page for browsers. Other clients' requests go to the next handler. */
export function createNotFoundPage(frame: Frame): readonly RequestHandler[] {
  return [
    forBrowsers(['application/json']),
    protectPage({ ...pageSources(frame), baseUri: ["'self'"] }),
    (request, response) => {
      const page = renderPage(frame, {
        path: NOWHERE,
        title: `404 Not found · ${frame.title}`,
        styles: ['page.css'],
        scripts: [],
        usesKey: false,
        base: referenceTo('/', { from: request.path }),
        body: `<main>${main(request.path)}</main>`,
      });
      response.status(404).set({ 'Content-Type': HTML, 'Cache-Control': 'no-cache' }).send(page);
    },
  ];
}

/**
 * A page in the service's root, of which its references are, by its base element: the path of a request may be so long that
 * each reference would be long.
 */
const NOWHERE = '/nowhere';

/** Longer ones are cut: a page says what was asked for, and does not repeat all of it. */
const MAX_PATH_LENGTH = 200;

function main(path: string): string {
  const shown = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  return `
      <h1>404: Not found</h1>
      <p>There is nothing at <code>${escapeHtml(shown)}</code>. You may be looking for one of these:</p>
      <ul class="actions">
        <li><a class="primary" href="./">All addresses</a></li>
        <li><a href="graphql">Open GraphiQL</a></li>
        <li><a href="docs">Read the REST documentation</a></li>
      </ul>
    `;
}
