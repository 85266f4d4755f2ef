import type { RequestHandler } from 'express';
import type { Destination } from './addresses.ts';
import { loadAssets, runScript } from './assets.ts';
import type { Frame } from './frame.ts';
import { createOwnStyle } from './html.ts';
import type { LandingPage } from './store-pages.ts';

/** A landing page: what protects it, and how it is rendered. */
export interface Landing {
  readonly protect: RequestHandler;
  readonly render: (destinations: readonly Destination[]) => string;
}

const PLAIN: LandingPage = {
  styles: [],
  scripts: { folder: new URL('browser/', import.meta.url), names: ['api-key.js'] },
  imports: ['find.js', 'key-check.js'],
  main: ({ title, keyField, addresses }) => `
      <h1>${title}</h1>
      ${keyField}
      ${addresses}`,
};

/** The store's own landing page, or a plain one. */
export function createLanding(frame: Frame): Landing {
  const { landing = PLAIN } = frame.pages;
  const { styles, scripts, imports, main } = landing;
  const sheets = [new URL('browser/api-key.css', import.meta.url), ...styles];
  const style = createOwnStyle(frame, sheets, { scriptSrc: ["'self'"], connectSrc: ["'self'"] });
  return {
    protect: style.protect,
    render: (destinations) =>
      style.render({
        title: frame.title,
        head: `
    ${loadAssets([...scripts.names, ...imports])}
    ${runScript(scripts.names[0])}`,
        main: main({
          title: frame.title,
          keyField: frame.keyField,
          addresses: list(destinations),
        }),
      }),
  };
}

function list(destinations: readonly Destination[]): string {
  return `<section aria-labelledby="addresses">
        <h2 id="addresses">All addresses</h2>
        <p>Operations need a key; the pages and documents don’t.</p>
        <dl class="destinations">
        ${destinations.map(link).join('\n        ')}
        </dl>
      </section>`;
}

function link({ address, title, description }: Destination): string {
  return `<div><dt><a href="${address}">${title}</a></dt><dd>${description}</dd></div>`;
}
