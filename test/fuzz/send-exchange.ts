import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readAnswers, type ReadAnswers } from '../support/http-answers.ts';
import { KEY_PLACE, type Exchange } from './exchange.ts';

export interface Target {
  readonly port: number;
  readonly key: string;
}

export interface Outcome {
  /** How it came to its end: answered, closed by the server, given up by us, or not within PATIENCE. */
  readonly end: 'answered' | 'closed' | 'abandoned' | 'hung';
  /** What was waited for last. */
  readonly waitedFor: 'the connection' | 'all to be taken' | 'an answer' | 'the close';
  readonly read: ReadAnswers;
  readonly milliseconds: number;
}

/** Milliseconds within which a server answers or closes. */
export const PATIENCE = 5000;

/** Milliseconds after which no further answer is expected of bytes of which nobody knows what they ask. */
const SILENCE = 120;

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

async function write(socket: Socket, bytes: Buffer, { cuts, end }: Exchange): Promise<void> {
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
  if (end === 'close') {
    socket.end();
  } else if (end === 'reset') {
    socket.resetAndDestroy();
  }
}

interface Receiver {
  readonly outcome: Promise<Omit<Outcome, 'milliseconds'>>;
  readonly allIsSent: () => void;
}

function receive(socket: Socket, { end, methods, bytes }: Exchange): Receiver {
  const mayBeHead = bytes.includes('HEAD');
  const lacksBody = (index: number) =>
    methods === undefined ? (mayBeHead ? undefined : false) : methods[index] === 'HEAD';
  let received: Buffer[] = [];
  let length = 0;
  let isSent = false;
  let timer: NodeJS.Timeout | undefined;
  let read = readAnswers(Buffer.alloc(0), lacksBody, false);
  const { promise: outcome, resolve } = Promise.withResolvers<Omit<Outcome, 'milliseconds'>>();

  const look = (isClosed: boolean) => {
    if (length >= read.needed || isClosed) {
      const all = Buffer.concat(received);
      received = [all];
      read = readAnswers(all, lacksBody, isClosed);
    }
  };
  const waits = (): Outcome['waitedFor'] => {
    if (socket.connecting) {
      return 'the connection';
    }
    if (!isSent) {
      return 'all to be taken';
    }
    return socket.writableEnded ? 'the close' : 'an answer';
  };
  const finish = (how: Outcome['end']) => {
    clearTimeout(timer);
    const waitedFor = waits();
    socket.destroy();
    resolve({ end: how, waitedFor, read });
  };
  const wait = () => {
    clearTimeout(timer);
    const isUnsure = methods === undefined && isSent && !socket.writableEnded;
    timer = setTimeout(
      () => {
        if (!isUnsure) {
          finish('hung');
        } else if (read.answers.length > 0 && read.needed === 0) {
          finish('answered');
        } else {
          // It may wait for more, which it now hears isn't to come.
          socket.end();
          wait();
        }
      },
      isUnsure ? SILENCE : PATIENCE,
    );
  };

  wait();
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    length += chunk.length;
    look(false);
    const isWhole = read.needed === 0 && read.answers.length >= (methods?.length ?? Infinity);
    if (read.fault !== undefined || isWhole) {
      finish('answered');
    } else {
      wait();
    }
  });
  // What matters is the close that follows.
  socket.on('error', () => undefined);
  socket.once('close', () => {
    look(true);
    finish('closed');
  });
  return {
    outcome,
    allIsSent: () => {
      isSent = true;
      if (end === 'reset') {
        finish('abandoned');
      } else if (!socket.destroyed) {
        wait();
      }
    },
  };
}
