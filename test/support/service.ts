import { once } from 'node:events';
import type { Agent, ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { openPost, askAlone } from './node-request.ts';
import { runEntry, type ChildEntry, type Run } from './process.ts';
import { isJsonObject } from '@store-gateway/ops';
import { newDatabase } from './new-database.ts';

export interface Service extends AsyncDisposable {
  readonly child: ChildEntry;
  /** The URL that it listens on. */
  readonly url: string;
  readonly databaseUrl: string;
}

/** Adds a free port, and by default a new database. */
async function environmentOf(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const hasStore = 'DATABASE_URL' in env || 'DATA_DIR' in env;
  return { PORT: '0', ...(!hasStore && { DATABASE_URL: await newDatabase() }), ...env };
}

/** Starts the service in its own process; resolves when it listens. */
export async function startService(
  given: NodeJS.ProcessEnv = {},
  run = (how: Run) => runEntry('src/main.ts', how),
): Promise<Service> {
  const env = await environmentOf(given);
  const child = run({ env });
  const line = await child.line('stdout', (text) => text.includes('"msg":"listening"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  const databaseUrl = env['DATABASE_URL'] ?? '';
  return { child, url, databaseUrl, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/**
 * Like `startService`, but requests wait for the database longer than a busy machine takes. For tests that do not
 * concern time.
 */
export async function startPatientService(
  { NODE_OPTIONS = '', ...env }: NodeJS.ProcessEnv = {},
  run?: (how: Run) => ChildEntry,
): Promise<Service> {
  const patience = `--import ${new URL('patience.ts', import.meta.url).href}`;
  return startService({ ...env, NODE_OPTIONS: `${NODE_OPTIONS} ${patience}` }, run);
}

/** Returns the key that a service shows on its first start. */
export async function firstKey({ child }: Pick<Service, 'child'>): Promise<string> {
  const line = await child.line('stderr', (text) => /^ {2}API_KEY=[a-z]{3}_\w+$/.test(text));
  return line.replace('  API_KEY=', '');
}

/** Begins a POST with JSON; resolves when the service is processing it and asks for its body. */
export async function beginPost(
  service: Service,
  path: string,
  agent?: Agent,
): Promise<ClientRequest> {
  return openPost({ url: service.url, key: await firstKey(service) }, path, {}, agent && { agent });
}

/** Opens a keep-alive connection on which one request has been answered. */
export async function openIdleConnection({ url }: Service): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

/** Returns the status of a list of animals, with the key that the service has shown. */
export async function statusOfList(
  service: Service,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const Authorization = `Bearer ${await firstKey(service)}`;
  const { statusCode } = await askAlone(`${service.url}/v1/pets`, { Authorization, ...headers });
  return statusCode ?? 0;
}

/** Stops a service, and expects it to shut down cleanly. */
export async function stop({ child }: Pick<Service, 'child'>): Promise<void> {
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
}

/** Resolves when the service has received the stop signal. */
export async function stopping({ child }: Service): Promise<void> {
  await child.line('stdout', (line) => line.includes('"msg":"stopping"'));
}

/** Returns a process's log without lines about a slow start, which a busy machine may cause. */
export function logWithoutDelays(child: Pick<ChildEntry, 'stdout'>): string {
  return child.stdout().replace(/^.*"msg":"still starting".*\n/gm, '');
}

/** Returns the only line that a failing start writes to stderr; expects no other output. */
export async function failedStart(env: NodeJS.ProcessEnv): Promise<string> {
  await using child = runEntry('src/main.ts', { env: await environmentOf(env) });
  const exit = await child.exit;
  expect({ ...exit, stdout: logWithoutDelays(child) }).toEqual({
    code: 1,
    signal: null,
    stdout: '',
  });
  expect(child.stderr()).toMatch(/^animal-store-gateway: .+\n$/);
  return child.stderr().replace(/^animal-store-gateway: (.+)\n$/, '$1');
}

/** Returns a service's parsed log lines so far; expects whole lines. */
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

/** Returns the messages in the log lines. */
export function messagesOf(service: Pick<Service, 'child'>): string[] {
  return logOf(service).map(({ msg }) => String(msg));
}

/** Returns the process ids of this many workers, when each has answered a request on a new connection. */
export async function workersOf(service: Service, workers: number): Promise<number[]> {
  const pids = new Set<number>();
  while (pids.size < workers) {
    const { headers, statusCode } = await askAlone(`${service.url}/v1/pets`, {});
    expect(statusCode).toBe(401);
    pids.add(await workerOf(service, String(headers['x-request-id'])));
  }
  return [...pids];
}

/** Opens a keep-alive connection to each of this many workers. */
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

/** Returns the process id of the worker that has logged a request. */
async function workerOf({ child }: Service, requestId: string): Promise<number> {
  const line = await child.line(
    'stdout',
    (text) => text.includes(requestId) && text.includes('"msg":"request"'),
  );
  const parsed: unknown = JSON.parse(line);
  return Number(isJsonObject(parsed) ? parsed['pid'] : Number.NaN);
}

export type HeapService = Awaited<ReturnType<typeof startHeapService>>;

/** Starts a service that reports the size of its heap, on a new database. */
export async function startHeapService() {
  const service = await startPatientService({
    NODE_OPTIONS: '--import ./test/support/collect-for-a-second.ts',
  });
  let collections = 0;
  return {
    ...service,
    key: await firstKey(service),
    /** Returns the bytes in use after garbage collection. */
    heapUsed: async (): Promise<number> => {
      collections += 1;
      const start = `collected ${collections}: `;
      service.child.kill('SIGUSR2');
      const line = await service.child.line('stderr', (text) => text.startsWith(start));
      return Number(line.slice(start.length).split(' ')[0]);
    },
  };
}
