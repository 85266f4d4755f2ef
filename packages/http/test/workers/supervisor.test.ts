import cluster from 'node:cluster';
import { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { StartupFailure } from '@store-gateway/ops';
import { expect, onTestFinished, test } from 'vitest';
import { captureLog } from '../../../../test/support/captured-log.ts';
import { listenLocally } from '../../../../test/support/listen-locally.ts';
import { backOff } from '../../src/workers/supervisor.ts';
import { ask, closedGate, pidOf, pidsOf, supervise } from './supervised.ts';

/** An agent that uses a single connection, which is closed at the end of the test. */
function oneConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Crashes a worker other than `kept`. */
async function crashOther(url: string, kept: string): Promise<void> {
  for (;;) {
    const agent = oneConnection();
    if ((await text(await ask(url, '/', agent))) !== kept) await ask(url, '/crash', agent);
  }
}

test('the supervisor fails to start if a worker dies before it is ready', async () => {
  const { start } = supervise({ dies: true });
  await expect(start()).rejects.toThrow(
    new StartupFailure('a worker process exited with code 3 before it was ready'),
  );
});

test('a worker that dies is replaced while the other workers keep running', async () => {
  const log = captureLog();
  const { start, serving, deaths } = supervise();
  const url = await start();
  const agent = oneConnection();
  const kept = await text(await ask(url, '/', agent));
  for (let death = 1; death <= 3; death += 1) {
    await expect(crashOther(url, kept)).rejects.toThrow('socket hang up');
    await expect.poll(() => deaths.count).toBe(death);
    await expect.poll(serving).toBe(2);
  }
  expect(await text(await ask(url, '/', agent))).toBe(kept);
  expect((await pidsOf(url, 2)).size).toBe(2);
  const told = log.text().matchAll(/"delayMs":(\d+),"msg":"a worker exited with code 7"/g);
  const delays = Array.from(told, ([, delay]) => Number(delay));
  expect(delays).toHaveLength(3);
  expect(delays[0]).toBe(0);
});

test('when all workers have died, they are restarted as soon as their port is free', async () => {
  captureLog();
  const { start, serving, settings, deaths } = supervise();
  const url = await start();
  const before = await pidsOf(url, 2);
  settings.port = await listenLocally();
  before.forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
  await expect.poll(() => deaths.count).toBe(2);
  expect(serving()).toBe(0);
  settings.port = 0;
  await expect.poll(serving).toBe(2);
});

test('workers are replaced one at a time, even by two concurrent calls to replaceAll', async () => {
  const { start, replaceAll, serving, written, deaths } = supervise();
  const url = await start();
  const before = await pidsOf(url, 2);
  await Promise.all([replaceAll(), replaceAll()]);
  const after = await pidsOf(url, 2);
  expect(after.size).toBe(2);
  expect(before.intersection(after).size).toBe(0);
  expect([serving(), deaths.count]).toEqual([2, 0]);
  const ends = written.join('').trim().split('\n');
  expect(ends).toEqual(Array.from({ length: 4 }, () => '{"isShutdown":false}'));
});

test('a worker that dies while it is being replaced has exactly one successor', async () => {
  captureLog();
  const { start, replaceAll, serving, settings, deaths } = supervise();
  const url = await start();
  const gate = await closedGate();
  settings.gate = gate.url;
  // The worker that is replaced first.
  const [first] = Object.values(cluster.workers ?? {});
  const replaced = replaceAll();
  first?.process.kill('SIGKILL');
  await expect.poll(() => deaths.count).toBe(1);
  gate.open();
  await replaced;
  await expect.poll(serving).toBe(2);
  expect(deaths.count).toBe(1);
  expect((await pidsOf(url, 2)).size).toBe(2);
});

test('workers keep running if their successors cannot start', async () => {
  const log = captureLog();
  const { start, replaceAll, settings } = supervise();
  const url = await start();
  const before = await pidsOf(url, 2);
  settings.dies = true;
  await replaceAll();
  expect(await pidsOf(url, 2)).toEqual(before);
  expect(log.text()).toContain('keeping a worker: its successor could not start');
});

test('log lines of any length from workers arrive in one piece', async () => {
  const { start, written } = supervise();
  const url = await start();
  const answers = await Promise.all([ask(url, '/long-lines'), ask(url, '/long-lines')]);
  answers.forEach((answer) => answer.resume());
  await expect.poll(() => written.join('').split('\n')).toHaveLength(41);
  const lines = written.join('').trim().split('\n');
  expect(lines.every((line) => /^\{"text":"(\d+)"\}$/.test(line))).toBe(true);
  for (const part of written) expect(part.at(-1)).toBe('\n');
});

test('the supervisor has the last report from each worker, even if the worker hangs or has exited', async () => {
  const { start, stop, updateReports, lastReports, ended } = supervise();
  const url = await start();
  const requests = new Map<string, number>();
  const askOnce = async () => {
    const pid = await pidOf(url);
    requests.set(pid, (requests.get(pid) ?? 0) + 1);
  };
  while (requests.size < 2) await askOnce();
  const asked = () => Array.from(requests, ([pid, count]) => `${pid} ${count}`).toSorted();
  // On a busy machine, a worker may report later than the supervisor waits.
  const reports = async () => {
    await updateReports();
    return lastReports().toSorted();
  };
  await expect.poll(reports).toEqual(asked());
  const [one = '', other = ''] = requests.keys();
  process.kill(Number(one), 'SIGSTOP');
  await askOnce();
  await expect.poll(reports).toEqual(asked());
  process.kill(Number(one), 'SIGKILL');
  await expect.poll(() => ended).toEqual([`${one} ${requests.get(one)}`]);
  await stop();
  expect(ended).toContain(`${other} ${requests.get(other)}`);
});

test('a worker that hangs is replaced, and its connections are closed', async () => {
  const log = captureLog();
  const { start, serving, hangs } = supervise({ silenceMs: 2000 });
  const url = await start();
  const agent = oneConnection();
  const pid = await text(await ask(url, '/', agent));
  process.kill(Number(pid), 'SIGSTOP');
  await expect(ask(url, '/', agent)).rejects.toThrow(/hang up|ECONNRESET/);
  expect(hangs.count).toBe(1);
  await expect.poll(serving).toBe(2);
  expect(log.text()).toContain('a worker is unresponsive: killing it');
});

test('no connection waits forever when a worker is killed', async () => {
  const { start, serving, deaths } = supervise({ count: 3 });
  const url = await start();
  const ending = new AbortController();
  const keepAsking = async () => {
    while (!ending.signal.aborted) {
      // Connections that the killed worker accepted are reset; all others get a response.
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

test('at shutdown, the supervisor closes the port before the last worker does', async () => {
  const { start, stop, written } = supervise({ count: 1, disconnects: true });
  await start();
  await stop();
  expect(written.join('')).toBe('{"shared":0}\n{"isShutdown":true}\n');
});

test('the restart delay doubles with each early death of a worker, up to 10 s, and is reset by a stable worker', () => {
  let death = backOff(0, 0);
  const delays = Array.from({ length: 10 }, () => {
    const { delayMs } = death;
    death = backOff(0, death.earlyDeaths);
    return delayMs;
  });
  expect(delays).toEqual([0, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  expect(backOff(10_000, death.earlyDeaths)).toEqual({ delayMs: 0, earlyDeaths: 0 });
});
