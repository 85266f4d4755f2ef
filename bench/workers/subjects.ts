import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PETS } from '../plan.ts';
import { startGatewayStore } from '../processes/gateway-store.ts';
import { startServer } from '../processes/server.ts';
import { requestsFor, type Session, type Subject } from '../processes/session.ts';

/** The gateways that are compared: the name of each, and how many workers it has. */
export const GATEWAYS = [
  ['WORKERS=1', '1'],
  ['WORKERS=2', '2'],
] as const;

const logName = (workers: string) => `gateway-${workers}`;

/** Starts both gateways on one store. */
export async function startGateways(
  folder: string,
  stack: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Session> {
  const { postgres, store, env, key } = await startGatewayStore(folder, stack, signal);
  const subjects = new Map<string, Subject>();
  for (const [name, workers] of GATEWAYS) {
    const server = await startServer({
      name: logName(workers),
      file: 'src/main.ts',
      env: { ...env, WORKERS: workers },
      folder,
      signal,
    });
    stack.use(server);
    const requests = requestsFor(server.name, PETS, folder);
    subjects.set(name, { server, store, key, constant: false, ...requests });
  }
  return { postgres, subjects };
}

/** How many of `count` connections, opened at once, each worker of the last gateway has. */
export async function spreadOf(
  { subjects }: Session,
  folder: string,
  count: number,
): Promise<readonly number[]> {
  const [name, workers] = GATEWAYS[1];
  const subject = subjects.get(name);
  if (subject === undefined) throw new Error(`${name} was not started`);
  const { server } = subject;
  await server.renew();
  const { hostname, port } = new URL(server.url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect');
      socket.write('GET /v1/pets HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await once(socket, 'data');
    }),
  );
  sockets.forEach((socket) => socket.destroy());
  const counts = new Map<string, number>();
  // Lines are written within 100 ms, twice: by the worker, and by the supervisor.
  for (let lines = 0; lines < count;) {
    counts.clear();
    const log = await readFile(join(folder, `${logName(workers)}.log`), 'utf8');
    const pids = Array.from(log.matchAll(/"pid":(\d+),.*"msg":"request"/g), ([, pid = '']) => pid);
    pids.forEach((pid) => counts.set(pid, (counts.get(pid) ?? 0) + 1));
    lines = pids.length;
  }
  return [...counts.values()];
}
