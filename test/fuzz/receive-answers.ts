import type { Socket } from 'node:net';
import { readAnswers, type ReadAnswers } from '../support/http-answers.ts';
import type { Exchange } from './exchange.ts';

export interface Outcome {
  /** How it came to its end: answered, closed by the server, given up by us, or not within ANSWER_TIMEOUT. */
  readonly end: 'answered' | 'closed' | 'abandoned' | 'hung';
  /** What was waited for last. */
  readonly waitedFor: 'the connection' | 'all to be taken' | 'an answer' | 'the close';
  /** Whether the client had closed its side when it came to its end. */
  readonly clientHasClosed: boolean;
  /** Whether the server has reset the connection: then a client may lose what it has yet to read. */
  readonly isReset: boolean;
  readonly read: ReadAnswers;
  readonly milliseconds: number;
}

/**
 * Milliseconds after which a server hangs that neither answers nor closes: five times what the service promises, so that
 * a busy machine isn't taken for it.
 */
export const ANSWER_TIMEOUT = 10_000;

/** Milliseconds after which no further answer is expected that isn't owed. */
const SILENCE = 120;

interface Receiver {
  readonly outcome: Promise<Omit<Outcome, 'milliseconds'>>;
  readonly allIsSent: () => void;
}

/** Reads what comes on a connection, until nothing more is to be waited for; then gives the connection up. */
export function receive(socket: Socket, { end, methods, bytes }: Exchange): Receiver {
  const mayBeHead = bytes.includes('HEAD');
  // A part of the bytes may be taken for one more request, whose answer comes behind those that are owed.
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
    timer = setTimeout(
      () => {
        if (isLingering) {
          finish('answered');
        } else if (!isUnsure) {
          finish('hung');
        } else if (read.answers.length > 0 && read.needed === 0) {
          finish('answered');
        } else {
          // It may wait for more, which it now hears isn't to come.
          closeOurSide();
          wait();
        }
      },
      isUnsure || isLingering ? SILENCE : ANSWER_TIMEOUT,
    );
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
  // The close follows, which matters more.
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    isReset = ['ECONNRESET', 'EPIPE'].includes(code);
  });
  socket.once('close', () => {
    look(true);
    finish('closed');
  });
  return {
    outcome,
    allIsSent: () => {
      isSent = true;
      if (end === 'reset') {
        socket.resetAndDestroy();
        finish('abandoned');
        return;
      }
      if (end === 'close') {
        closeOurSide();
      }
      if (!socket.destroyed) {
        wait();
      }
    },
  };
}
