import express, { type Response } from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../src/listen.ts';
import { createRequestListener } from '../src/request-listener.ts';

/** An app with nothing said of who its clients are. */
async function serve(app: express.Express, maximumOpenRequests?: number): Promise<string> {
  const listener = createRequestListener({
    app,
    logSample: 0,
    ...(maximumOpenRequests !== undefined && { maximumOpenRequests }),
  });
  const { url, close } = await listen(listener, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => close());
  return url;
}

test('by default it is ready, and pages of other origins may read nothing', async () => {
  const app = express().get('/books', (_request, response) => {
    response.json([]);
  });
  const url = await serve(app);
  const response = await fetch(`${url}/books`, { headers: { Origin: 'https://other.example' } });
  expect([response.status, await response.text()]).toEqual([200, '[]']);
  expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test('by default an address may have half of all requests open', async () => {
  const held: Response[] = [];
  const all = Promise.withResolvers<void>();
  const app = express().get('/', (_request, response) => {
    held.push(response);
    if (held.length === 5) {
      all.resolve();
    }
  });
  const url = await serve(app, 10);
  const responses = Array.from({ length: 5 }, () => fetch(url));
  await all.promise;
  expect((await fetch(url)).status).toBe(503);
  held.forEach((response) => response.end());
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200,
  ]);
});
