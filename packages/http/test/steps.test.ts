import { afterAll, expect, test } from 'vitest';
import { createRequestListener, createRequestQueue } from '../src/request-listener.ts';
import { runExchange } from '../src/exchange.ts';
import { listen } from '../src/listen.ts';
import { errorBody, errorWriter } from '../src/message/error-writer.ts';
import { readJson } from '../src/message/request-body.ts';
import { JSON_TYPE, send } from '../src/message/send.ts';
import { STEPS } from '../src/steps.ts';

const taken: (keyof typeof STEPS)[] = [];
const queue = createRequestQueue();
const listener = createRequestListener({
  clientOf: () => {
    taken.push('identify');
    return { kind: 'address', name: 'one' };
  },
  queue: {
    ...queue,
    run: (client, work) => {
      taken.push('queue');
      queue.run(client, work);
    },
  },
  steps: [
    (_request, _response, next) => {
      taken.push('steps');
      next();
    },
  ],
  endpoints: [
    {
      method: 'POST',
      path: '/',
      answer: (request, response) => {
        taken.push('route');
        return runExchange(
          {
            request,
            response,
            accept: () => taken.push('accept'),
            acceptsKey: false,
            read: (turn) => {
              taken.push('read');
              return readJson(request, response, turn);
            },
            plan: (body) => {
              taken.push('plan');
              return body;
            },
            execute: (operation) => {
              taken.push('execute');
              return operation;
            },
            represent: (result) => {
              taken.push('represent');
              send(response, JSON_TYPE, JSON.stringify(result));
            },
          },
          () => {
            taken.push('admit');
            return { caller: 'anyone' };
          },
        );
      },
      writeError: errorWriter({ type: () => JSON_TYPE, body: errorBody }),
    },
  ],
  logSample: 0,
});
const { url, close } = await listen(listener, { host: '127.0.0.1', port: 0 });
afterAll(() => close());

test('a request goes through the steps in the order of STEPS', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: '{"a":1}' });
  expect([response.status, await response.text()]).toEqual([200, '{"a":1}']);
  expect(taken).toContain('represent');
  expect(taken).toEqual(Object.keys(STEPS).filter((name) => taken.some((each) => each === name)));
});
