import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import {
  beginPost,
  firstKey,
  openIdleConnection,
  startService,
  stopping,
  type Service,
} from '../support/service.ts';

async function start(): Promise<Service> {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  return startService({ DATABASE_URL: url });
}

/** Connects as any client does; resolves to what comes of it. */
function tryToConnect({ url }: Service): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.message);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve('connected');
    });
  });
}

test('no new connection is taken once it is told to stop, while what is under way goes on', async () => {
  await using service = await start();
  const begun = await beginPost(service, '/v1/pets');
  service.child.kill('SIGTERM');
  await stopping(service);
  await expect.poll(() => tryToConnect(service)).toBe('ECONNREFUSED');
  const response = once(begun, 'response');
  begun.end('{"name":"Rex","categoryId":1}');
  await response;
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});

test('whoever watches /readyz hears that it ends, before connections are refused', async () => {
  await using service = await start();
  const authorization = { Authorization: `Bearer ${await firstKey(service)}` };
  const onNewConnection = (path: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(service.url + path, { agent: false, headers: authorization })
        .once('response', resolve)
        .once('error', reject)
        .end();
    });
  expect((await onNewConnection('/readyz')).statusCode).toBe(200);
  service.child.kill('SIGTERM');
  await stopping(service);
  const probe = await onNewConnection('/readyz');
  expect([probe.statusCode, probe.headers['retry-after'], await text(probe)]).toEqual([
    503,
    '1',
    'not ready: it is about to end\n',
  ]);
  // Whoever has not heard of it is still served.
  const list = await onNewConnection('/v1/pets');
  expect([list.statusCode, list.headers.connection]).toEqual([200, 'close']);
  await expect.poll(() => tryToConnect(service), { timeout: 10_000 }).toBe('ECONNREFUSED');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});

test('connections that clients have made before it is told to stop are answered, taken or not', async () => {
  await using service = await start();
  const key = await firstKey(service);
  const { host, hostname, port } = new URL(service.url);
  // Meanwhile the kernel makes connections on its behalf.
  service.child.kill('SIGSTOP');
  const answers = Array.from({ length: 50 }, async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    return socket;
  });
  const sockets = await Promise.all(answers);
  service.child.kill('SIGTERM');
  service.child.kill('SIGCONT');
  for (const answer of await Promise.all(sockets.map((socket) => text(socket)))) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  }
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});

test('clients at work hear in an answer that it is the last on their connection, and are never cut off', async () => {
  await using service = await start();
  const headers = {
    Authorization: `Bearer ${await firstKey(service)}`,
    'Content-Type': 'application/json',
  };
  const post = (own: Agent) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(`${service.url}/v1/pets`, { method: 'POST', headers, agent: own })
        .once('response', resolve)
        .once('error', reject)
        .end('{"name":"Rex","categoryId":1}');
    });
  const atWork = Promise.withResolvers<void>();
  let answered = 0;
  const clients = Array.from({ length: 20 }, async () => {
    const own = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses = new Set<number | undefined>();
    for (;;) {
      const answer = await post(own);
      await text(answer);
      statuses.add(answer.statusCode);
      answered += 1;
      if (answered === 200) {
        atWork.resolve();
      }
      if (answer.headers.connection === 'close') {
        own.destroy();
        return [...statuses];
      }
    }
  });
  await Promise.race([atWork.promise, Promise.all(clients)]);
  service.child.kill('SIGTERM');
  expect((await Promise.all(clients)).flat()).toEqual(clients.map(() => 201));
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
});

test('connections on which nothing comes are closed soon, without an error', async () => {
  await using service = await start();
  const idle = await openIdleConnection(service);
  const told = performance.now();
  service.child.kill('SIGTERM');
  expect(await text(idle)).toBe('');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  // That is as long as a request may take.
  expect(performance.now() - told).toBeLessThan(5000);
});
