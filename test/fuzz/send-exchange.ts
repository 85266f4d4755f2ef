import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { KEY_PLACE, type Exchange } from './exchange.ts';
import { receive, type Outcome } from './receive-answers.ts';

export interface Target {
  readonly port: number;
  readonly key: string;
}

/** Does what a client does, on a connection of its own, and waits for what comes of it. */
export async function sendExchange(exchange: Exchange, target: Target): Promise<Outcome> {
  const started = performance.now();
  const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true });
  const receiver = receive(socket, exchange);
  await connected(socket);
  await write(socket, withKey(exchange.bytes, target.key), exchange);
  receiver.allIsSent();
  return { ...(await receiver.outcome), milliseconds: performance.now() - started };
}

/** Resolves once it is, or never will be. */
async function connected(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', resolve);
  });
}

function withKey(bytes: Buffer, key: string): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(KEY_PLACE); at !== -1; at = copy.indexOf(KEY_PLACE, at)) {
    copy.write(key, at, 'latin1');
  }
  return copy;
}

async function write(socket: Socket, bytes: Buffer, { cuts }: Exchange): Promise<void> {
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length];
  let start = 0;
  for (const cut of ends) {
    if (socket.destroyed) {
      return;
    }
    const isTaken = socket.write(bytes.subarray(start, cut));
    start = cut;
    if (!isTaken) {
      const gone = new AbortController();
      const close = () => {
        gone.abort();
      };
      socket.once('close', close);
      await once(socket, 'drain', { signal: gone.signal }).catch(() => undefined);
      socket.off('close', close);
    }
    // So that each piece is sent by itself.
    await new Promise(setImmediate);
  }
}
