import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readAnswers, type ReadAnswers } from '../support/http-answers.ts';
import { KEY_PLACE, type Exchange } from './exchange.ts';

export interface Target {
  readonly port: number;
  readonly key: string;
}

export interface Outcome {
  /** How it ended: with responses, closed by the server, given up by the client, or not within ANSWER_TIMEOUT. */
  readonly end: 'answered' | 'closed' | 'abandoned' | 'hung';
  /** What the client waited for last. */
  readonly waitedFor: 'the connection' | 'all to be taken' | 'an answer' | 'the close';
  /** Whether the client had closed its side before the end. */
  readonly clientHasClosed: boolean;
  /** Whether the server reset the connection, so that a client may lose what it has yet to read. */
  readonly isReset: boolean;
  readonly read: ReadAnswers;
  readonly milliseconds: number;
}

/** Milliseconds after which a silent server counts as hung: five times the service's limit, for busy machines. */
export const ANSWER_TIMEOUT = 10_000;

/** Milliseconds of silence after which only owed responses are still expected. */
const SILENCE = 120;

/** Sends an exchange on its own connection, and waits for its outcome. */
export async function sendExchange(exchange: Exchange, { port, key }: Target): Promise<Outcome> {
  const started = performance.now();
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const receiver = receive(socket, exchange);
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve).once('close', resolve);
  });
  await write(socket, exchange.bytes.replaceAll(KEY_PLACE, key), exchange.cuts);
  receiver.allIsSent();
  return { ...(await receiver.outcome), milliseconds: performance.now() - started };
}

/** Sends the pieces between the cuts in separate writes. */
async function write(socket: Socket, bytes: string, cuts: readonly number[]): Promise<void> {
  const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length];
  const gone = new AbortController();
  socket.once('close', () => {
    gone.abort();
  });
  for (const [index, end] of ends.entries()) {
    if (socket.destroyed) return;
    if (!socket.write(bytes.slice(ends[index - 1] ?? 0, end), 'latin1')) {
      await once(socket, 'drain', { signal: gone.signal }).catch(() => undefined);
    }
    await new Promise(setImmediate);
  }
}

/** Reads from a connection until nothing more is expected, and then closes it. */
function receive(socket: Socket, { end, methods, bytes }: Exchange) {
  const mayBeHead = bytes.includes('HEAD');
  // The server may read part of the bytes as an additional request, whose response follows the owed responses.
  const mayGoOn = bytes.indexOf(' HTTP/1.') !== bytes.lastIndexOf(' HTTP/1.');
  const lacksBody = (index: number) =>
    methods === undefined ? (mayBeHead ? undefined : false) : methods[index] === 'HEAD';
  let received: Buffer[] = [];
  let length = 0;
  let isSent = false;
  let clientHasClosed = false;
  let isReset = false;
  let timer: NodeJS.Timeout | undefined;
  let read = readAnswers(Buffer.alloc(0), lacksBody, false);
  const { promise: outcome, resolve } = Promise.withResolvers<Omit<Outcome, 'milliseconds'>>();

  const look = (isClosed: boolean) => {
    if (length >= read.needed || isClosed) {
      received = [Buffer.concat(received)];
      read = readAnswers(received[0] ?? Buffer.alloc(0), lacksBody, isClosed);
    }
  };
  const waitsFor = (): Outcome['waitedFor'] => {
    if (socket.connecting) return 'the connection';
    if (!isSent) return 'all to be taken';
    return socket.writableEnded ? 'the close' : 'an answer';
  };
  const finish = (how: Outcome['end']) => {
    clearTimeout(timer);
    const waitedFor = waitsFor();
    socket.destroy();
    resolve({ end: how, waitedFor, clientHasClosed, isReset, read });
  };
  const closeOurSide = () => {
    clientHasClosed = !socket.destroyed && !socket.readableEnded;
    socket.end();
  };
  const isWhole = () => read.needed === 0 && read.answers.length >= (methods?.length ?? Infinity);
  const wait = () => {
    clearTimeout(timer);
    const isUnsure = methods === undefined && isSent && !socket.writableEnded;
    const isLingering = isWhole();
    const giveUp = () => {
      if (isLingering) {
        finish('answered');
      } else if (!isUnsure) {
        finish('hung');
      } else if (read.answers.length > 0 && read.needed === 0) {
        finish('answered');
      } else {
        // The server may wait for more bytes. Closing our side signals that nothing follows.
        closeOurSide();
        wait();
      }
    };
    timer = setTimeout(giveUp, isUnsure || isLingering ? SILENCE : ANSWER_TIMEOUT);
  };

  wait();
  socket.on('data', (chunk: Buffer) => {
    received.push(chunk);
    length += chunk.length;
    look(false);
    if (read.fault !== undefined || (isWhole() && !mayGoOn)) {
      finish('answered');
    } else {
      wait();
    }
  });
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    isReset = ['ECONNRESET', 'EPIPE'].includes(code);
  });
  socket.once('close', () => {
    look(true);
    finish('closed');
  });
  const allIsSent = () => {
    isSent = true;
    if (end === 'reset') {
      socket.resetAndDestroy();
      finish('abandoned');
      return;
    }
    if (end === 'close') closeOurSide();
    if (!socket.destroyed) wait();
  };
  return { outcome, allIsSent };
}
