import { once } from 'node:events';
import type { Agent, ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { openPost } from './open-post.ts';
import { runEntry, type ChildEntry, type Run } from './process.ts';

export interface Service extends AsyncDisposable {
  readonly child: ChildEntry;
  /** Where it listens. */
  readonly url: string;
}

/** The service as a process of its own, on a free port, once it listens. */
export async function startService(
  env: NodeJS.ProcessEnv,
  run = (how: Run) => runEntry('src/main.ts', how),
): Promise<Service> {
  const child = run({ env: { PORT: '0', ...env } });
  const line = await child.line('stdout', (text) => text.includes('"msg":"listening"'));
  const [, url = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  return { child, url, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

/**
 * The same, but that its requests wait for the database longer than a machine takes on which much else runs: for tests of
 * what isn't about time.
 */
export async function startPatientService(
  { NODE_OPTIONS = '', ...env }: NodeJS.ProcessEnv,
  run?: (how: Run) => ChildEntry,
): Promise<Service> {
  const patience = `--import ${new URL('patience.ts', import.meta.url).href}`;
  return startService({ ...env, NODE_OPTIONS: `${NODE_OPTIONS} ${patience}` }, run);
}

/** The key that a service shows on its first start. */
export async function firstKey({ child }: Pick<Service, 'child'>): Promise<string> {
  const line = await child.line('stderr', (text) => /^ {2}API_KEY=asg_\w+$/.test(text));
  return line.replace('  API_KEY=', '');
}

/** Begins a POST of JSON; resolves when the service is at work on it, and asks for its body. */
export async function beginPost(
  service: Service,
  path: string,
  agent?: Agent,
): Promise<ClientRequest> {
  return openPost({ url: service.url, key: await firstKey(service) }, path, {}, agent && { agent });
}

/** A connection that may be used again, once it has been used. */
export async function openIdleConnection({ url }: Service): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

/** When it has heard that it is to stop. */
export async function stopping({ child }: Service): Promise<void> {
  await child.line('stdout', (line) => line.includes('"msg":"stopping"'));
}

/** What a process has logged, but for that its start takes a while, which it may say on a busy machine. */
export function logWithoutDelays(child: Pick<ChildEntry, 'stdout'>): string {
  return child.stdout().replace(/^.*"msg":"still starting".*\n/gm, '');
}

/** The one line that a start which has to fail leaves on stderr; expects that there is nothing else. */
export async function failedStart(env: NodeJS.ProcessEnv): Promise<string> {
  await using child = runEntry('src/main.ts', { env: { PORT: '0', ...env } });
  const exit = await child.exit;
  expect({ ...exit, stdout: logWithoutDelays(child) }).toEqual({
    code: 1,
    signal: null,
    stdout: '',
  });
  expect(child.stderr()).toMatch(/^animal-store-gateway: .+\n$/);
  return child.stderr().replace(/^animal-store-gateway: (.+)\n$/, '$1');
}
