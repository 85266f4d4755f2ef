import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isWay } from './ways.ts';

// oxlint-disable-next-line node/no-process-env -- the options of a server under test
const { WAY = '', WORKERS = '1', FIRST_PORT = '0' } = process.env;
if (!isWay(WAY)) throw new Error(`unknown: ${WAY}`);

if (cluster.isPrimary) {
  cluster.schedulingPolicy = WAY === 'supervisor' ? cluster.SCHED_RR : cluster.SCHED_NONE;
  let port = 0;
  for (let count = 0; count < Number(WORKERS); count += 1) {
    const worker = cluster.fork({ FIRST_PORT: port });
    const told: unknown[] = await once(worker, 'message');
    port = Number(told[0]);
  }
  process.once('SIGTERM', () => {
    process.exit();
  });
  process.stdout.write(`http://127.0.0.1:${port}\n`);
} else {
  const body = JSON.stringify({ id: 10_001, name: 'Whiskers' });
  const server = createServer(({ url }, response) => {
    // A client opens another connection then.
    if (url === '/close') response.setHeader('Connection', 'close');
    response.setHeader('Content-Length', body.length).end(body);
  });
  server.on('listening', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' ? address?.port : 0);
  });
  const isOwn = WAY === 'own';
  server.listen({
    host: '127.0.0.1',
    port: isOwn ? Number(FIRST_PORT) : 0,
    reusePort: isOwn,
    exclusive: isOwn,
  });
}
