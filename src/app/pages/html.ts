import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { protectPage } from '@gateway/http-server/http/security-headers';

export const HTML = 'text/html; charset=utf-8';

/** An animal's track, inline, so that browsers don't request /favicon.ico. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8f63"><ellipse cx="8" cy="11" rx="4" ry="3.5"/><circle cx="3" cy="6" r="1.8"/><circle cx="6.4" cy="3.2" r="1.8"/><circle cx="9.8" cy="3.2" r="1.8"/><circle cx="13" cy="6" r="1.8"/></svg>',
)}`;

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** For pages in our own style, which run no script. */
export const protectPlainPage: RequestHandler = protectPage({
  styleSrc: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
  imgSrc: ['data:'],
});

/** HTML. */
interface PageParts {
  readonly title: string;
  /** Additional elements of its head. */
  readonly head: string;
  readonly body: string;
}

export function renderPage({ title, head, body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${ICON}">
    ${head}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}

/** A page in our own style. */
export function renderPlainPage(parts: Omit<PageParts, 'head'>): string {
  return renderPage({ ...parts, head: `<style>${style}</style>` });
}
