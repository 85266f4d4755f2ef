import { createServer, request, type Agent, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { portOf } from '../../../../test/support/listen-locally.ts';
import { createSupervisor } from '../../src/workers/supervisor.ts';

interface Settings {
  port: number;
  /** Whether workers die while they start. */
  dies: boolean;
  /** A URL that workers request before they serve, and whose response they wait for. */
  gate?: string;
  /** Whether workers disconnect from the supervisor before they close the port. */
  disconnects?: boolean;
}

/** Supervises workers on a port, by default a free one, until the end of the test. */
export function supervise({
  count = 2,
  silenceMs = 600_000,
  ...given
}: Partial<Settings> & { count?: number; silenceMs?: number } = {}) {
  const settings: Settings = { port: 0, dies: false, ...given };
  const written: string[] = [];
  const ended: (string | undefined)[] = [];
  const deaths = { count: 0 };
  const hangs = { count: 0 };
  const supervisor = createSupervisor({
    program: new URL('tiny-worker.ts', import.meta.url),
    count,
    settings,
    writeLines: (lines) => written.push(lines),
    onEnded: (report) => ended.push(report),
    onDeath: () => (deaths.count += 1),
    silenceMs,
    onHang: () => (hangs.count += 1),
  });
  onTestFinished(supervisor.stop);
  return { ...supervisor, settings, written, ended, deaths, hangs };
}

/** Sends a request, on a new connection unless an agent is given. */
export async function ask(
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

export const pidOf = async (url: string) => text(await ask(url));

/** Sends requests until this number of workers has responded. @returns their process ids */
export async function pidsOf(url: string, workers: number): Promise<Set<string>> {
  const pids = new Set<string>();
  while (pids.size < workers) pids.add(await pidOf(url));
  return pids;
}

/** A server that holds all requests until `open` is called, and closes at the end of the test. */
export async function closedGate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    void opened.then(() => response.end());
  });
  onTestFinished(() => {
    server.close();
  });
  return { url: `http://127.0.0.1:${await portOf(server)}`, open };
}
