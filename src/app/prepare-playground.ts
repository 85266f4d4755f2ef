import { parentPort } from 'node:worker_threads';
import { renderPlayground } from '../graphql/playground/playground.ts';
import { preparePublicDocument } from '@gateway/http-server/http/public-document';

/* The worker of src/app/playground-page.ts: posts the page and exits. */
const { html, contentSecurityPolicy } = await renderPlayground();
const document = await preparePublicDocument(html, 'text/html; charset=utf-8');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ document, contentSecurityPolicy });
