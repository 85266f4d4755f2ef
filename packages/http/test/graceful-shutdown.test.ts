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

/** A server that answers a request when all of it has come; and how many it has seen the beginning of. */
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

/** A POST that the server is at work on, and whose end has not been sent. */
async function beginPost({
  url,
  begun,
}: Awaited<ReturnType<typeof start>>): Promise<ClientRequest> {
  const outgoing = request(url, { method: 'POST', agent: false });
  outgoing.flushHeaders();
  await expect.poll(begun).toBe(1);
  return outgoing;
}

/** Connects as any client does; resolves to what comes of it. */
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
 * Closes a server whose clock is set forward by the test, and by nothing else: each retry of `expect.poll` would.
 *
 * @param kind of the timer that the test sets forward, and waits for
 */
async function closeByFakeClock({ close }: Listening, kind: 'Interval' | 'Timeout') {
  vi.useFakeTimers({ toFake: [`set${kind}`, `clear${kind}`] });
  const closed = close();
  while (vi.getTimerCount() === 0) {
    await turnOfLoop();
  }
  return { closed };
}

/** A connection that has been used, and may be used again. */
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

test('a server that leaves its port keeps idle connections until their next response', async () => {
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

test('a server that must hurry while it leaves its port closes idle connections after half a second', async () => {
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

test('a client that never ends its request is disconnected after 5 s', async () => {
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
