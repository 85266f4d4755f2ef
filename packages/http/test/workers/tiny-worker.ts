/** A worker program that responds with its process id, or does what the path of the request says. */
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';
import { joinSupervisor } from '../../src/workers/worker.ts';

const { settings, leave, shutdown, ready, failed, reportBy, sendReport, disconnect, portClosed } =
  joinSupervisor();
const given = await settings;
const { port, dies, gate, disconnects } = isJsonObject(given) ? given : {};
if (dies === true) process.exit(3);
if (typeof gate === 'string') await fetch(gate);
let requests = 0;
reportBy(async () => `${process.pid} ${requests}`);
const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests += 1;
  if (request.url === '/crash') process.exit(7);
  switch (request.url) {
    case '/long-lines':
      for (let line = 0; line < 20; line += 1) {
        process.stdout.write(`${JSON.stringify({ text: String(line).repeat(30_000) })}\n`);
      }
      response.end();
      break;
    default:
      response.end(String(process.pid));
  }
});
server.listen(Number(port), '127.0.0.1');
try {
  await once(server, 'listening');
} catch (error) {
  failed(error instanceof Error ? error.message : '');
  process.exit(1);
}
const address = server.address();
ready(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
const told = AbortSignal.any([leave, shutdown]);
if (!told.aborted) await once(told, 'abort');
if (disconnects === true && shutdown.aborted) {
  disconnect();
  await portClosed();
  const shared = (await socketsOf('self')).intersection(await socketsOf(process.ppid));
  process.stdout.write(`${JSON.stringify({ shared: shared.size })}\n`);
}
const closed = once(server, 'close');
server.close();
server.closeIdleConnections();
await closed;
process.stdout.write(`${JSON.stringify({ isShutdown: shutdown.aborted })}\n`);
await sendReport();
disconnect();

/** The sockets that a process holds. */
async function socketsOf(pid: number | string): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all(
    // Descriptors that were closed meanwhile don't count.
    (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => '')),
  );
  return new Set(links.filter((link) => link.startsWith('socket:')));
}
