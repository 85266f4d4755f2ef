import { parentPort } from 'node:worker_threads';
import { readPlaygroundFiles } from './files.ts';

/* A worker thread, because it takes 0.2 s: posts the files of the page and exits. */
const files = await readPlaygroundFiles();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(files);
