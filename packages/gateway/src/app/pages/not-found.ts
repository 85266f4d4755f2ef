import type { RequestHandler } from 'express';
import { forBrowsers } from '@gateway/http-server/http/accept';
import { referenceTo } from '@gateway/http-server/http/reference';
import type { Frame } from './frame.ts';
import { createOwnStyle, HTML } from './html.ts';

/** A 404 page for browsers. Other clients' requests go to the next handler. */
export function createNotFoundPage(frame: Frame): readonly RequestHandler[] {
  const { protect, render } = createOwnStyle(frame, [], { baseUri: ["'self'"] });
  return [
    forBrowsers(['application/json']),
    protect,
    (request, response) => {
      const page = render({
        title: `Not found · ${frame.title}`,
        // Written once: a long path would make each reference long.
        head: `<base href="${referenceTo('/', { from: request.path })}">`,
        main: MAIN,
      });
      response.status(404).set({ 'Content-Type': HTML, 'Cache-Control': 'no-cache' }).send(page);
    },
  ];
}

const MAIN = `
      <h1>Not found</h1>
      <p>There is nothing at this address. You may be looking for one of these:</p>
      <ul class="actions">
        <li><a class="primary" href="./">All addresses</a></li>
        <li><a href="graphql">Open GraphiQL</a></li>
        <li><a href="docs">Read the REST documentation</a></li>
      </ul>
    `;
