import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createAlarm, now } from './alarm.ts';
import { createDelayLine } from './delay-line.ts';

/** Stands for the network before a PostgreSQL. Disposing of it closes its connections. */
export interface DelayingProxy extends AsyncDisposable {
  /** The address of a database through the proxy, by TCP, instead of its own, by Unix socket. */
  readonly through: (url: string) => string;
  /** From now on, all that is sent arrives half of this later, either way: milliseconds. */
  readonly setRoundTrip: (milliseconds: number) => void;
}

export async function startDelayingProxy(): Promise<DelayingProxy> {
  const alarm = createAlarm();
  const line = createDelayLine(now, alarm.set);
  const sockets = new Set<Socket>();
  let path = '';
  const relay = (from: Socket, to: Socket) => {
    sockets.add(from);
    from
      .on('data', (chunk) => {
        line.push(() => to.write(chunk));
      })
      .on('end', () => {
        line.push(() => to.end());
      })
      .on('error', () => to.destroy())
      .on('close', () => sockets.delete(from));
  };
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const database = connect({ path, allowHalfOpen: true });
    relay(client, database);
    relay(database, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return {
    through: (url) => {
      const its = new URL(url);
      path = join(its.searchParams.get('host') ?? '', `.s.PGSQL.${its.port}`);
      its.searchParams.delete('host');
      its.host = `127.0.0.1:${address.port}`;
      return its.href;
    },
    setRoundTrip: (milliseconds) => {
      line.delay = milliseconds / 2;
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await alarm[Symbol.asyncDispose]();
    },
  };
}
