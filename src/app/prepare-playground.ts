import { parentPort } from 'node:worker_threads';
import { renderPlayground } from '../graphql/playground/playground.ts';
import { preparePublicDocument } from '@gateway/http-server/http/public-document';

/* A worker, for src/app/playground-page.ts: sends the page, prepared, and ends. */
const { html, contentSecurityPolicy } = await renderPlayground();
const document = await preparePublicDocument(html, 'text/html; charset=utf-8');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ document, contentSecurityPolicy });
