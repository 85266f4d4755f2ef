import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { expect, onTestFinished, test } from 'vitest';
import { captureLog } from '../../../test/support/captured-log.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { createSupervisor } from '../src/supervisor.ts';
import { closedGate } from './closed-gate.ts';

interface Settings {
  port: number;
  /** Whether workers die while they start. */
  dies: boolean;
  /** What workers ask before they serve, and wait for. */
  gate?: string;
}

/** Workers on a port, by default a free one, until the test is over. */
function supervise({ count = 2, ...given }: Partial<Settings> & { count?: number } = {}) {
  const settings: Settings = { port: 0, dies: false, ...given };
  const written: string[] = [];
  const ended: (string | undefined)[] = [];
  const deaths = { count: 0 };
  const supervisor = createSupervisor({
    program: new URL('tiny-worker.ts', import.meta.url),
    count,
    settings,
    writeLines: (lines) => written.push(lines),
    onEnded: (report) => ended.push(report),
    onDeath: () => (deaths.count += 1),
  });
  onTestFinished(supervisor.stop);
  return { ...supervisor, settings, written, ended, deaths };
}

/** On a connection of its own, unless there is an agent. */
async function ask(
  url: string,
  path = '/',
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url + path, { agent })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });
}

const pidOf = async (url: string) => text(await ask(url));

/** The workers that answer one connection after the other. */
async function pidsOf(url: string, count: number): Promise<string[]> {
  const pids: string[] = [];
  while (pids.length < count) pids.push(await pidOf(url));
  return pids;
}

test('connections are given to the workers in turn, and each has the settings', async () => {
  const { start, serving } = supervise({ count: 3 });
  const url = await start();
  expect(serving()).toBe(3);
  const pids = await pidsOf(url, 30);
  const counts = [...new Set(pids)].map((pid) => pids.filter((other) => other === pid).length);
  expect(counts).toEqual([10, 10, 10]);
  const answer = await ask(url);
  answer.resume();
  expect(JSON.parse(String(answer.headers['settings']))).toEqual({ port: 0, dies: false });
});

test('what cannot start is told by its own reason, and nothing is left', async () => {
  const port = await listenLocally();
  const { start, stop, serving } = supervise({ port });
  await expect(start()).rejects.toThrow(new StartupFailure(`bind EADDRINUSE 127.0.0.1:${port}`));
  await stop();
  expect(serving()).toBe(0);
});

test('a worker that dies while it starts is told, too', async () => {
  const { start } = supervise({ dies: true });
  await expect(start()).rejects.toThrow(
    new StartupFailure('a worker process ended with code 3 before it was ready'),
  );
});

test('a worker that dies is replaced, and the others go on', async () => {
  const log = captureLog();
  const { start, serving, deaths } = supervise();
  const url = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
  });
  const kept = await text(await ask(url, '/', agent));
  for (let death = 1; death <= 3; death += 1) {
    await expect(ask(url, '/crash')).rejects.toThrow('socket hang up');
    await expect.poll(() => deaths.count).toBe(death);
    await expect.poll(serving).toBe(2);
    // The next one in turn, which may be the one that is kept, isn't the one to die.
    if ((await pidOf(url)) !== kept) await pidOf(url);
  }
  expect(await text(await ask(url, '/', agent))).toBe(kept);
  expect(new Set(await pidsOf(url, 4)).size).toBe(2);
  const told = log.text().matchAll(/"delayMs":(\d+),"msg":"a worker ended with code 7"/g);
  const delays = Array.from(told, ([, delay]) => Number(delay));
  expect(delays).toHaveLength(3);
  expect(delays[0]).toBe(0);
});

test('where all workers have died and the port is taken, they come back once it is free', async () => {
  captureLog();
  const { start, serving, settings, deaths } = supervise();
  const url = await start();
  const before = new Set(await pidsOf(url, 2));
  settings.port = await listenLocally();
  before.forEach((pid) => process.kill(Number(pid), 'SIGKILL'));
  await expect.poll(() => deaths.count).toBe(2);
  expect(serving()).toBe(0);
  settings.port = 0;
  await expect.poll(serving).toBe(2);
});

test('workers are replaced one after the other, also when asked twice at once', async () => {
  const { start, replaceAll, serving, written, deaths } = supervise();
  const url = await start();
  const before = new Set(await pidsOf(url, 4));
  await Promise.all([replaceAll(), replaceAll()]);
  const after = new Set(await pidsOf(url, 4));
  expect(after.size).toBe(2);
  expect(before.intersection(after).size).toBe(0);
  expect([serving(), deaths.count]).toEqual([2, 0]);
  const ends = written.join('').trim().split('\n');
  expect(ends).toEqual(Array.from({ length: 4 }, () => '{"isShutdown":false}'));
});

test('a worker that dies while it is replaced has one successor', async () => {
  captureLog();
  const { start, replaceAll, serving, settings, deaths } = supervise();
  const url = await start();
  const gate = await closedGate();
  settings.gate = gate.url;
  // The first one to be replaced.
  const [first] = await pidsOf(url, 1);
  const replaced = replaceAll();
  process.kill(Number(first), 'SIGKILL');
  await expect.poll(() => deaths.count).toBe(1);
  gate.open();
  await replaced;
  await expect.poll(serving).toBe(2);
  expect(deaths.count).toBe(1);
  expect(new Set(await pidsOf(url, 6)).size).toBe(2);
});

test('where a successor cannot start, the workers stay', async () => {
  const log = captureLog();
  const { start, replaceAll, settings } = supervise();
  const url = await start();
  const before = new Set(await pidsOf(url, 2));
  settings.dies = true;
  await replaceAll();
  expect(new Set(await pidsOf(url, 2))).toEqual(before);
  expect(log.text()).toContain('a worker stays: its successor cannot start');
});

test('lines of any length come whole', async () => {
  const { start, written } = supervise();
  const url = await start();
  const answers = await Promise.all([ask(url, '/long-lines'), ask(url, '/long-lines')]);
  answers.forEach((answer) => answer.resume());
  await expect.poll(() => written.join('').split('\n')).toHaveLength(41);
  const lines = written.join('').trim().split('\n');
  expect(lines.every((line) => /^\{"text":"(\d+)"\}$/.test(line))).toBe(true);
  for (const part of written) expect(part.at(-1)).toBe('\n');
});

test('reports: the latest of all, the last of one that hangs, and of each that has ended', async () => {
  const { start, stop, updateReports, lastReports, ended } = supervise();
  const url = await start();
  const [one = '', other = ''] = await pidsOf(url, 4);
  // On a busy machine a worker may answer later than it is waited for.
  const reports = async () => {
    await updateReports();
    return lastReports().toSorted();
  };
  await expect.poll(reports).toEqual([`${one} 2`, `${other} 2`].toSorted());
  // The next one in turn.
  ask(url, '/block').catch(() => undefined);
  expect(await pidOf(url)).toBe(other);
  await expect.poll(reports).toEqual([`${one} 2`, `${other} 3`].toSorted());
  process.kill(Number(one), 'SIGKILL');
  await expect.poll(() => ended).toEqual([`${one} 2`]);
  await stop();
  expect(ended).toContain(`${other} 3`);
});
