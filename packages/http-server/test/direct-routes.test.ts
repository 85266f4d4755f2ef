import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createFindRoute } from '../src/direct-routes.ts';

const routes = (['GET /a', 'POST /a', 'GET /a/:id'] as const).map((name) => {
  const [method, path] = name.startsWith('GET')
    ? (['GET', name.slice(4)] as const)
    : (['POST', name.slice(5)] as const);
  return { method, path, answer: () => Promise.resolve(), writeError: () => undefined };
});
const findRoute = createFindRoute(routes);

test.each([
  ['GET', '/a', '/a', {}],
  ['POST', '/a?b=/a/1', '/a', {}],
  ['GET', '/a/1?b', '/a/:id', { id: '1' }],
])('%s %s is %s', (method, url, path, parameters) => {
  const found = findRoute(requestTo(method, url));
  expect([found?.route.method, found?.route.path, { ...found?.parameters }]).toEqual([
    method,
    path,
    parameters,
  ]);
});

test.each([
  ['HEAD', '/a'],
  ['GET', '/A'],
  ['GET', '/a/'],
  ['GET', '/a/1/'],
  ['POST', '/a/1'],
  ['GET', '/a/%31'],
  ['GET', '/a#b'],
  ['GET', '/a?\u00a0'],
  ['GET', 'http://host/a'],
  ['OPTIONS', '*'],
])('%s %s is left to Express', (method, url) => {
  expect(findRoute(requestTo(method, url))).toBeUndefined();
});

function requestTo(method: string, url: string): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { method, url });
}
