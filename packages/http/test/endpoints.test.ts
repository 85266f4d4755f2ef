import { request as nodeRequest, type IncomingMessage } from 'node:http';
import express from 'express';
import { afterAll, expect, test } from 'vitest';
import type { Endpoint } from '../src/endpoints.ts';
import { listen } from '../src/listen.ts';
import { errorBody, errorWriter } from '../src/message/error-writer.ts';
import { JSON_TYPE, send } from '../src/message/send.ts';
import { createRequestListener } from '../src/request-listener.ts';

const writeError = errorWriter({ type: () => JSON_TYPE, body: errorBody });

/** Sends which endpoint has answered, with what parameters. */
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

const app = express().use((_request, response) => {
  response.json('Express');
});
const listener = createRequestListener({ endpoints, app, logSample: 0 });
const { url, close } = await listen(listener, { host: '127.0.0.1', port: 0 });
afterAll(() => close());
const { port } = new URL(url);

/** What is sent for a target as it is, which fetch would normalize. */
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
])('%s %s is answered by %j', async (method, target, answer) => {
  expect(await answerTo(method, target)).toEqual(answer);
});

test('an endpoint may accept some requests and leave the others to Express', async () => {
  expect(await answerTo('GET', '/c', { Accept: 'a/b' })).toEqual(['GET', '/c', {}]);
});

test('a path parameter that is not UTF-8 returns 404', async () => {
  const message = 'There is nothing at this address';
  expect(await answerTo('GET', '/a/%ff')).toEqual({ code: 'NOT_FOUND', message, status: 404 });
});

test('probes reject other methods, and OPTIONS * lists the methods of all endpoints', async () => {
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

test('two endpoints of one method and path are refused', () => {
  const twice = [endpoint('GET', '/a/:id'), endpoint('GET', '/b{/}'), endpoint('GET', '/b/')];
  expect(() => createRequestListener({ endpoints: twice })).toThrow('two endpoints answer GET /b/');
});
