import { request as nodeRequest, type IncomingMessage } from 'node:http';
import express, { type Response } from 'express';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { captureLog } from '../../../test/support/captured-log.ts';
import type { Endpoint } from '../src/endpoints.ts';
import { listen } from '../src/listen.ts';
import { errorBody, errorWriter } from '../src/message/error-writer.ts';
import { referenceTo } from '../src/message/query.ts';
import { JSON_TYPE, send } from '../src/message/send.ts';
import { createRequestListener } from '../src/request-listener.ts';

const writeError = errorWriter({ type: () => JSON_TYPE, body: errorBody });

/** An endpoint that responds with its method, its path and the parameters of the request. */
const endpoint = (method: Endpoint['method'], path: string): Endpoint => ({
  method,
  path,
  answer: (_request, response, { parameters }) => {
    send(response, JSON_TYPE, JSON.stringify([method ?? 'any', path, parameters]));
  },
  writeError,
});

const endpoints = [
  endpoint('GET', '/a'),
  endpoint('POST', '/a'),
  endpoint(undefined, '/a'),
  endpoint('GET', '/a/:id'),
  endpoint('GET', '/a/:id/b/:part'),
  endpoint('GET', '/a/mine'),
  endpoint('DELETE', '/a/:id'),
  endpoint(undefined, '/a/*'),
  endpoint('GET', '/b{/}'),
  { ...endpoint('GET', '/c'), accepts: ({ headers }) => headers.accept === 'a/b' },
  endpoint(undefined, '/c'),
] satisfies Endpoint[];

const log = captureLog();
const app = express().use((_request, response) => {
  response.json('Express');
});
const listener = createRequestListener({ endpoints, app, logSample: 0 });
const { url, close } = await listen(listener, { host: '127.0.0.1', port: 0 });
afterAll(() => close());
const { port } = new URL(url);

/** Requests a target without normalizing it, unlike fetch. @returns the parsed body, or the Allow header if it is empty */
async function answerTo(method: string, target: string, headers = {}): Promise<unknown> {
  const sent = nodeRequest({ host: '127.0.0.1', port, method, path: target, headers }).end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  const chunks = await response.setEncoding('utf8').toArray();
  const text = chunks.join('');
  return text === '' ? response.headers.allow : JSON.parse(text);
}

test.each([
  ['GET', '/a', ['GET', '/a', {}]],
  ['POST', '/a?b=/a/1', ['POST', '/a', {}]],
  ['PUT', '/a', ['any', '/a', {}]],
  ['GET', '/a/1?b', ['GET', '/a/:id', { id: '1' }]],
  ['GET', '/a/%31%2F', ['GET', '/a/:id', { id: '1/' }]],
  ['GET', '/a/mine', ['GET', '/a/mine', {}]],
  ['DELETE', '/a/mine', ['DELETE', '/a/:id', { id: 'mine' }]],
  ['GET', '/a/1/b/2', ['GET', '/a/:id/b/:part', { id: '1', part: '2' }]],
  ['PUT', '/a/1', ['any', '/a/*', {}]],
  ['GET', '/a/1/', ['any', '/a/*', {}]],
  ['GET', '/b', ['GET', '/b{/}', {}]],
  ['GET', '/b/', ['GET', '/b{/}', {}]],
  ['GET', 'http://host/a/1', ['GET', '/a/:id', { id: '1' }]],
  ['GET', '/a/', 'Express'],
  ['GET', '/A', 'Express'],
  ['GET', '//a', 'Express'],
  ['POST', '/b', 'Express'],
  ['GET', '/c', 'Express'],
  ['PUT', '/c', ['any', '/c', {}]],
  ['HEAD', '/a', undefined],
])('%s %s is handled by %j', async (method, target, answer) => {
  expect(await answerTo(method, target)).toEqual(answer);
});

test('an endpoint may accept only some requests; Express handles the others', async () => {
  expect(await answerTo('GET', '/c', { Accept: 'a/b' })).toEqual(['GET', '/c', {}]);
});

test('a request with a path parameter that is not valid UTF-8 gets 404', async () => {
  const message = 'There is nothing at this address';
  expect(await answerTo('GET', '/a/%ff')).toEqual({ code: 'NOT_FOUND', message, status: 404 });
});

test('the readiness probe rejects POST, and OPTIONS * lists the methods of all endpoints', async () => {
  expect(await answerTo('POST', '/readyz')).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
  expect(await answerTo('OPTIONS', '*')).toBe('GET, HEAD, POST, DELETE, OPTIONS');
});

test('without an app, all other paths return 404', async () => {
  const alone = await listen(createRequestListener({ logSample: 0 }), {
    host: '127.0.0.1',
    port: 0,
  });
  const response = await fetch(`${alone.url}/a`);
  await alone.close();
  expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});

test('two endpoints with the same method and path are rejected', () => {
  const twice = [endpoint('GET', '/a/:id'), endpoint('GET', '/b{/}'), endpoint('GET', '/b/')];
  expect(() => createRequestListener({ endpoints: twice })).toThrow('two endpoints answer GET /b/');
});

/** Serves an app with default options. */
async function serve(alone: express.Express, maximumOpenRequests = 1000): Promise<string> {
  const listening = await listen(
    createRequestListener({ app: alone, logSample: 0, maximumOpenRequests }),
    { host: '127.0.0.1', port: 0 },
  );
  onTestFinished(() => listening.close());
  return listening.url;
}

test('by default, one client address may have at most half of the maximum number of open requests', async () => {
  const held: Response[] = [];
  const all = Promise.withResolvers<void>();
  const address = await serve(
    express().get('/', (_request, response) => {
      held.push(response);
      if (held.length === 5) {
        all.resolve();
      }
    }),
    10,
  );
  const responses = Array.from({ length: 5 }, () => fetch(address));
  await all.promise;
  expect((await fetch(address)).status).toBe(503);
  held.forEach((response) => response.end());
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([
    200, 200, 200, 200, 200,
  ]);
});

test('an error after a response has started is logged, and cuts the response off', async () => {
  const begun = express().get('/begun', (_request, response) => {
    response.write('begun');
    throw new Error('too late to tell');
  });
  begun.use(errorWriter({ type: () => 'application/json', body: errorBody }));
  const answer = await fetch(`${await serve(begun)}/begun`);
  await expect(answer.text()).rejects.toThrow('terminated');
  expect(await log.line((line) => line.includes('too late to tell'))).toContain('"level":50');
});

test.each([
  ['/', '/', './'],
  ['/', '/docs', 'docs'],
  ['/docs', '/docs#/books', 'docs#/books'],
  ['/docs', '/', './'],
  ['/v1/books', '/v1/books/7', 'books/7'],
  ['/v1/books/7', '/v1/books?genre=poem', '../books?genre=poem'],
  ['/v1/books/7', '/docs', '../../docs'],
  ['/v1/openapi.json', '/v1', '../v1'],
  ['/v1/books', '/v1?a=/v1/books', '../v1?a=/v1/books'],
])(
  'the relative reference from %s to %s is %s, and works under any path prefix',
  (from, target, reference) => {
    expect(referenceTo(target, { from })).toBe(reference);
    for (const prefix of ['', '/store', '/a/b']) {
      const base = `https://shop.example${prefix}`;
      expect(new URL(reference, base + from).href).toBe(new URL(base + target).href);
    }
  },
);

test('references are absolute URLs if a public URL is given', () => {
  const publicUrl = 'https://shop.example/store';
  expect(referenceTo('/docs#/books', { from: '/v1/books/7', publicUrl })).toBe(
    'https://shop.example/store/docs#/books',
  );
});
