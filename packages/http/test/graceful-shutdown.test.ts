import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { listen, type Listening } from '../src/listen.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Starts a server that responds when a request has arrived in full. `begun` counts the requests that have begun. */
async function start(): Promise<Listening & { readonly begun: () => number }> {
  let begun = 0;
  const listening = await listen(
    (incoming, response) => {
      begun += 1;
      if (incoming.readableEnded) {
        response.end('answered');
      } else {
        incoming.resume().once('end', () => response.end('answered'));
      }
    },
    { host: '127.0.0.1', port: 0, maximumConnections: 100 },
  );
  onTestFinished(() => listening.close());
  return { ...listening, begun: () => begun };
}

/** Begins a POST without sending its end, and waits until the server handles it. */
async function beginPost({
  url,
  begun,
}: Awaited<ReturnType<typeof start>>): Promise<ClientRequest> {
  const outgoing = request(url, { method: 'POST', agent: false });
  outgoing.flushHeaders();
  await expect.poll(begun).toBe(1);
  return outgoing;
}

/** Tries to open a connection. @returns `connected`, or the code of the error */
function tryToConnect(url: string): Promise<string> {
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

/**
 * Closes a server with a fake clock that only the test advances. It doesn't use `expect.poll`, whose retries would advance it.
 *
 * @param kind the kind of timer that the server starts and the test advances
 */
async function closeByFakeClock({ close }: Listening, kind: 'Interval' | 'Timeout') {
  vi.useFakeTimers({ toFake: [`set${kind}`, `clear${kind}`] });
  const closed = close();
  while (vi.getTimerCount() === 0) {
    await turnOfLoop();
  }
  return { closed };
}

/** Opens a connection and completes a request on it, so that it is idle. */
async function openIdleConnection({ url }: Listening): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const idle = connect(Number(port), hostname);
  await ask(idle);
  return idle;
}

async function ask(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: store\r\n\r\n');
  const [answer = ''] = (await once(socket, 'data')).map(String);
  return answer;
}

test('a server that leaves its port keeps idle connections open until their next response', async () => {
  const server = await start();
  const idle = await openIdleConnection(server);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const left = server.leave(new AbortController().signal);
  await expect.poll(() => tryToConnect(server.url)).toBe('ECONNREFUSED');
  vi.advanceTimersByTime(60_000);
  expect(await ask(idle)).toContain('Connection: close');
  await left;
  await server.close();
});

test('a server that must hurry while it leaves its port closes idle connections after 500 ms', async () => {
  const server = await start();
  const idle = await openIdleConnection(server);
  const hurry = new AbortController();
  const left = server.leave(hurry.signal);
  await expect.poll(() => tryToConnect(server.url)).toBe('ECONNREFUSED');
  hurry.abort();
  await left;
  const { closed } = await closeByFakeClock(server, 'Interval');
  vi.advanceTimersByTime(499);
  expect(idle.readableEnded).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await text(idle)).toBe('');
  await closed;
});

test('at shutdown, a client that never completes its request is disconnected after 5 s', async () => {
  const server = await start();
  const begun = await beginPost(server);
  const cutOff = once(begun, 'error');
  const { closed } = await closeByFakeClock(server, 'Timeout');
  vi.advanceTimersByTime(4999);
  expect(begun.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(await cutOff).toEqual([expect.objectContaining({ code: 'ECONNRESET' })]);
  await closed;
});
