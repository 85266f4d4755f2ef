import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import express, { type Express, type RequestHandler, type Router } from 'express';
import { expect, test } from 'vitest';
import { createFindRoute, handlerOf } from '../src/direct-routes.ts';
import { refuseUnseenMiddleware } from '../src/routing.ts';

const answers = { answer: () => Promise.resolve(), writeError: () => undefined };
const routes = [
  { method: 'GET', path: '/a', ...answers },
  { method: 'POST', path: '/a', ...answers },
  { method: 'GET', path: '/a/:id', ...answers },
] as const;
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

const [list, add, one] = routes;

/** An app that has the routes below /a, after what is used before. */
function appAfter(use: (app: Express, api: Router) => void = () => undefined): Express {
  const app = express();
  const api = express.Router({ strict: true });
  use(app, api);
  api.get('/', handlerOf(list));
  api.post('/', handlerOf(add));
  api.get('/:id', handlerOf(one));
  return app.use('/a', api);
}

const pass: RequestHandler = function pass(_request, _response, next) {
  next();
};

test.each<[string, (app: Express, api: Router) => void]>([
  ['GET /a', (app) => app.use(pass)],
  ['GET /a', (app) => app.use('/a', pass)],
  ['GET /a', (app) => app.all(/a$/, pass)],
  ['GET /a', (_app, api) => api.use(pass)],
  ['GET /a', (_app, api) => api.get('/', pass)],
  ['GET /a', (app) => app.use(express.Router().use(pass))],
  ['POST /a', (app) => app.post('/a', pass)],
  ['GET /a/:id', (app) => app.use('/a/1', pass)],
  ['GET /a/:id', (_app, api) => api.all('/:name', pass)],
])('a middleware of Express before %s is refused: %s', (name, use) => {
  expect(() => refuseUnseenMiddleware(appAfter(use), routes)).toThrow(
    `Express has the middleware pass before ${name}, and most requests go there directly: middleware that must see every request belongs in the steps of createRequestListener`,
  );
});

test('a route that Express doesn’t have is refused', () => {
  expect(() => refuseUnseenMiddleware(express(), routes)).toThrow('Express has no route GET /a');
});

test('what Express does for other requests, or behind the routes, is none of theirs', () => {
  const app = appAfter((before, api) => {
    before.use('/b', pass).put('/a', pass).use(express.Router().get('/', pass));
    api.delete('/:id', pass);
  });
  expect(() => refuseUnseenMiddleware(app.use(pass), routes)).not.toThrow();
});
