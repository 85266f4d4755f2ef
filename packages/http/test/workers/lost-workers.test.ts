import { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { captureLog } from '../../../../test/support/captured-log.ts';
import { ask, pidOf, supervise } from './supervised.ts';

test('a worker that hangs is replaced, and its connections end', async () => {
  const log = captureLog();
  const { start, serving, hangs } = supervise({ silenceMs: 2000 });
  const url = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const pid = await text(await ask(url, '/', agent));
  process.kill(Number(pid), 'SIGSTOP');
  await expect(ask(url, '/', agent)).rejects.toThrow(/hang up|ECONNRESET/);
  expect(hangs.count).toBe(1);
  await expect.poll(serving).toBe(2);
  expect(log.text()).toContain('a worker is unresponsive: killing it');
});

test('a worker that is killed strands no connection', async () => {
  const { start, serving, deaths } = supervise({ count: 3 });
  const url = await start();
  const ending = new AbortController();
  const keepAsking = async () => {
    while (!ending.signal.aborted) {
      // Accepted connections are reset; no other one waits for a response forever.
      await pidOf(url).catch(() => undefined);
    }
  };
  const clients = Array.from({ length: 8 }, keepAsking);
  for (let killed = 1; killed <= 4; killed += 1) {
    process.kill(Number(await pidOf(url)), 'SIGKILL');
    await expect.poll(() => deaths.count).toBe(killed);
    await expect.poll(serving).toBe(3);
  }
  ending.abort();
  await Promise.all(clients);
});

test('the supervisor lets go of the port before the last worker does, at the end', async () => {
  const { start, stop, written } = supervise({ count: 1, disconnects: true });
  await start();
  await stop();
  expect(written.join('')).toBe('{"shared":0}\n{"isShutdown":true}\n');
});
