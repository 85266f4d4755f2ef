import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { endRequest } from '../support/node-request.ts';
import { startLoad } from '../support/load.ts';
import { isAlive } from '../../packages/local/src/embedded/server.ts';
import {
  idleConnectionOfEach,
  logOf,
  messagesOf,
  workersOf,
  beginPost,
  firstKey,
  startPatientService,
  stop,
  stopping,
} from '../support/service.ts';

// Several processes start and drain, possibly on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const REX = '{"name":"Rex","categoryId":1}';

const start = (WORKERS = '2') => startPatientService({ WORKERS, RATE_LIMIT: 'off' });

test('SIGHUP replaces the workers under load without a failed request, and Ctrl-C lets requests finish', async () => {
  await using service = await start();
  const { child, url, databaseUrl } = service;
  const key = await firstKey(service);
  const first = new Set(await workersOf(service, 2));
  await using load = startLoad(url, key, 4);
  child.kill('SIGHUP');
  await child.line('stdout', (line) => line.includes('the workers have been replaced'));
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  expect(load.answers.filter(({ status }) => !SUCCESS_STATUSES.includes(status))).toEqual([]);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
  expect(first.intersection(new Set(await workersOf(service, 2))).size).toBe(0);

  const begun = await beginPost(service, '/v1/pets');
  // A terminal sends the signal to all processes.
  const workers = new Set(await workersOf(service, 2));
  workers.forEach((pid) => process.kill(pid, 'SIGINT'));
  child.kill('SIGINT');
  await stopping(service);
  expect(await endRequest(begun, REX)).toMatchObject({ status: 201 });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect([...workers].filter(isAlive)).toEqual([]);
  expect(messagesOf(service).filter((message) => message.startsWith('a worker'))).toEqual([]);
});

test('a worker being replaced answers on its idle connections, and closes them when the service stops', async () => {
  await using service = await start();
  const { child } = service;
  const connections = await idleConnectionOfEach(service, 2);
  const closed = connections.map((connection) => once(connection, 'close'));
  child.kill('SIGHUP');
  await stopping(service);
  // One of the two connections is to that worker.
  const answers = connections.map(async (connection) => {
    const answered = once(connection, 'data');
    connection.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
    return (await answered).join('');
  });
  const isLast = (await Promise.all(answers)).map((text) => /^Connection: close/im.test(text));
  expect(isLast.filter(Boolean)).toHaveLength(1);

  // The next worker to be replaced waits for its remaining connection.
  const stops = () => messagesOf(service).filter((message) => message === 'stopping');
  await expect.poll(stops).toHaveLength(2);
  expect(messagesOf(service)).not.toContain('the workers have been replaced');
  await stop(service);
  await Promise.all(closed);
});

test('a second SIGTERM ends the service and all of its workers immediately', async () => {
  await using service = await start();
  const begun = await beginPost(service, '/v1/pets');
  const cutOff = once(begun, 'error');
  const workers = await workersOf(service, 2);
  // For half a second, repeated signals count as one.
  const telling = setInterval(() => service.child.kill('SIGTERM'), 100);
  expect(await service.child.exit).toEqual({ code: 143, signal: null });
  clearInterval(telling);
  await cutOff;
  const fatal = logOf(service).filter((line) => line['level'] === 60);
  expect(fatal).toMatchObject([{ msg: 'second shutdown signal: ended immediately' }]);
  await expect.poll(() => workers.filter(isAlive)).toEqual([]);
});

test('workers drain on SIGTERM, and when their supervisor is killed', async () => {
  await using service = await start();
  const first = new Set(await workersOf(service, 2));
  const begun = await beginPost(service, '/v1/pets');
  first.forEach((pid) => process.kill(pid, 'SIGTERM'));
  // The new workers are already serving, and the worker without a request has ended.
  await expect.poll(() => [...first].filter(isAlive)).toHaveLength(1);
  expect(await endRequest(begun, REX)).toMatchObject({ status: 201 });
  await expect.poll(() => [...first].filter(isAlive)).toEqual([]);
  const second = new Set(await workersOf(service, 2));
  expect(first.intersection(second).size).toBe(0);

  const last = await beginPost(service, '/v1/pets');
  service.child.kill('SIGKILL');
  // Of the two workers, the one without a request has ended.
  await expect.poll(() => [...second].filter(isAlive)).toHaveLength(1);
  expect(await endRequest(last, REX)).toMatchObject({ status: 201 });
  await expect.poll(() => [...second].filter(isAlive)).toEqual([]);
});

test('with one worker, SIGHUP replaces nothing, which is logged', async () => {
  await using service = await start('1');
  service.child.kill('SIGHUP');
  await service.child.line('stdout', (line) => line.includes('WORKERS=1 has none'));
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});
