import { createServer } from 'node:http';
import { once } from 'node:events';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { createReject } from '../src/request-head.ts';
import { routeTo } from '../src/endpoints.ts';
import { errorBody, errorWriter } from '../src/message/error-writer.ts';
import { captureLog } from '../../../test/support/captured-log.ts';

const log = captureLog();

test('an error behind the beginning of an answer is logged, and cuts the answer off', async () => {
  const app = express();
  app.get('/begun', (_request, response) => {
    response.write('begun');
    throw new Error('too late to tell');
  });
  app.use(errorWriter({ type: () => 'application/json', body: errorBody }));
  const listener = routeTo(
    [],
    app,
    createReject(() => 'rest'),
  );
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const answer = await fetch(`http://127.0.0.1:${port}/begun`);
  await expect(answer.text()).rejects.toThrow('terminated');
  expect(await log.line((line) => line.includes('too late to tell'))).toContain('"level":50');
});
