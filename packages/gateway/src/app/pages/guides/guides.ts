import {
  referenceTo,
  preparePublicDocument,
  servePublicDocument,
  protectPage,
  redirectTrailingSlash,
} from '@store-gateway/http';
import { pathOf, GUIDES } from './guide-files.ts';
import { readFile } from 'node:fs/promises';
import express, { type Router } from 'express';
import { type Frame, HTML, pageSources, renderPage } from '../frame.ts';
import type { Guide } from './render-guide.ts';

/**
 * Returns the address of a guide's link, relative to a page: another guide, a section, or the web. Other files of the guide's
 * repository aren't served.
 *
 * @param from the path of the page
 */
function createAddressOf(file: URL, guides: readonly URL[], from: string) {
  const paths = new Map(guides.map((guide) => [guide.href, pathOf(guide)]));
  return (reference: string): string | undefined => {
    const url = URL.parse(reference, file);
    if (url === null || /^https?:$/.test(url.protocol)) {
      return url?.href;
    }
    const { hash } = url;
    url.hash = '';
    const path = paths.get(url.href);
    return path === undefined ? undefined : referenceTo(path, { from }) + hash;
  };
}

/** A store's guides as pages, and the list of them. */
export function createGuides(frame: Frame): Router {
  const router = express.Router({ caseSensitive: true });
  const serve = (path: string, make: () => Promise<GuidePage>) =>
    router.all(
      path.slice(GUIDES.length) || '/',
      protectPage(pageSources(frame)),
      redirectTrailingSlash,
      servePublicDocument(async () =>
        preparePublicDocument(render(frame, path, await make()), HTML),
      ),
    );
  serve(GUIDES, () => listOf(frame.guides));
  for (const file of frame.guides) {
    serve(pathOf(file), () => load(file, frame.guides, pathOf(file)));
  }
  return router;
}

type GuidePage = Pick<Guide, 'title' | 'content'>;

function render(frame: Frame, path: string, { title, content }: GuidePage): string {
  return renderPage(frame, {
    path,
    title: `${title} · ${frame.title}`,
    styles: ['page.css', 'guide.css'],
    scripts: [],
    usesKey: false,
    body: `<main class="guide">${content}</main>`,
  });
}

/** @param from the path of the page that shows it */
async function load(file: URL, guides: readonly URL[], from: string): Promise<Guide> {
  // Loaded at the first request, not at start.
  const { renderGuide } = await import('./render-guide.ts');
  return renderGuide(await readFile(file, 'utf8'), createAddressOf(file, guides, from));
}

async function listOf(guides: readonly URL[]): Promise<GuidePage> {
  const entries = await Promise.all(
    guides.map(async (file) => {
      const { title, lead } = await load(file, guides, GUIDES);
      const address = referenceTo(pathOf(file), { from: GUIDES });
      return `<dt><a href="${address}">${title}</a></dt><dd>${lead}</dd>`;
    }),
  );
  return { title: 'Guides', content: `<h1>Guides</h1><dl>${entries.join('')}</dl>` };
}
