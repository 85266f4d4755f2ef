import { once } from 'node:events';
import { type Agent, request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { isJsonObject } from '@store-gateway/ops';
import { expect } from 'vitest';
import { seriesIn } from './prometheus-text.ts';
import { openIdleConnection, type Service } from './service.ts';

/** What a service has logged so far; expects whole lines. */
export function logOf({ child }: Pick<Service, 'child'>): Record<string, unknown>[] {
  return child
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const parsed: unknown = JSON.parse(line);
      return isJsonObject(parsed) ? parsed : {};
    });
}

/** The messages among them. */
export function messagesOf(service: Pick<Service, 'child'>): string[] {
  return logOf(service).map(({ msg }) => String(msg));
}

/** The process ids of so many workers, as soon as each of them has answered a request on a connection of its own. */
export async function workersOf(service: Service, workers: number): Promise<number[]> {
  const pids = new Set<number>();
  while (pids.size < workers) {
    const { headers, statusCode } = await askAlone(`${service.url}/v1/pets`, {});
    expect(statusCode).toBe(401);
    pids.add(await workerOf(service, String(headers['x-request-id'])));
  }
  return [...pids];
}

/** A connection to each of so many workers, which may be used again. */
export async function idleConnectionOfEach(service: Service, workers: number): Promise<Socket[]> {
  const connections = new Map<number, Socket>();
  while (connections.size < workers) {
    const socket = await openIdleConnection(service);
    socket.write('GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const answer = (await once(socket, 'data')).join('');
    const [, id = ''] = /^X-Request-Id: (.+)\r$/im.exec(answer) ?? [];
    const pid = await workerOf(service, id);
    connections.get(pid)?.destroy();
    connections.set(pid, socket);
  }
  return [...connections.values()];
}

/** The process id of the worker that has logged a request. */
async function workerOf({ child }: Service, requestId: string): Promise<number> {
  const line = await child.line(
    'stdout',
    (text) => text.includes(requestId) && text.includes('"msg":"request"'),
  );
  const parsed: unknown = JSON.parse(line);
  return Number(isJsonObject(parsed) ? parsed['pid'] : Number.NaN);
}

/** Sends a GET on a connection of its own, unless there is an agent. */
export async function askAlone(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent | false = false,
): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers, agent }).once('response', resolve).once('error', reject).end();
  });
  await buffer(answer);
  return answer;
}

/** The sum of a metric's series with these labels. */
export async function metricOf(
  { child }: Service,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const line = await child.line('stdout', (text) => text.includes('"msg":"metrics"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  const series = seriesIn(await (await fetch(url)).text());
  return series
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(labels).every(([label, is]) => each.labels[label] === is))
    .reduce((total, { value }) => total + value, 0);
}
