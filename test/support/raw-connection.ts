import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { onTestFinished, type TestContext } from 'vitest';
import { readAnswers, type WireAnswer } from './http-answers.ts';
import { setImmediate as turnOfLoop } from 'node:timers/promises';

export type RawConnection = Awaited<ReturnType<typeof rawConnection>>;

/**
 * Opens a connection on which a test can write any bytes. It is closed when the test is over.
 *
 * @param context of a test that runs concurrently with others in its file
 * @param localAddress a different local address, to appear as a different client
 */
export async function rawConnection(
  url: string,
  context: Pick<TestContext, 'onTestFinished'> = { onTestFinished },
  localAddress = '127.0.0.1',
) {
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    localAddress,
    allowHalfOpen: true,
  });
  context.onTestFinished(() => {
    socket.destroy();
  });
  const changes = new EventEmitter();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    changes.emit('change');
  });
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  for (const event of ['end', 'close']) {
    socket.on(event, () => {
      isEnded = true;
      ended.resolve();
      changes.emit('change');
    });
  }
  await once(socket, 'connect');
  // A reset, which 'close' follows.
  socket.on('error', () => undefined);

  const read = (): readonly WireAnswer[] => {
    const { answers, fault } = readAnswers(Buffer.concat(chunks), () => false, isEnded);
    if (fault !== undefined) {
      throw new Error(fault);
    }
    return answers;
  };
  return {
    socket,
    send: (bytes: string | Uint8Array): void => {
      socket.write(bytes);
    },
    /**
     * Resolves to the responses so far when there are this many; rejects if they are not HTTP, or if the connection
     * ends first.
     */
    answers: async (count: number) => {
      for (;;) {
        const answers = read();
        if (answers.length >= count) {
          return answers;
        }
        if (isEnded) {
          throw new Error(`the connection ended after ${answers.length} answers`);
        }
        await once(changes, 'change');
      }
    },
    /** Resolves when the server has closed or reset the connection. */
    ended: ended.promise,
    /** Resolves to all responses when the connection has ended; rejects if they are not HTTP. */
    last: async () => {
      await ended.promise;
      return read();
    },
  };
}

/** Returns a request's head, with a Host header. */
export function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: store', ...headers, '', ''].join('\r\n');
}

/** Sends packets on a connection, then closes the client's side; resolves to whether the server has reset it. */
export async function isResetBySending(
  { socket, send }: RawConnection,
  packet: string,
): Promise<boolean> {
  const closed = new Promise<boolean>((resolve) => socket.once('close', resolve));
  for (let packets = 0; packets < 5; packets += 1) {
    send(packet);
    // The server runs in this process, and reads the packets one by one.
    await turnOfLoop();
    await turnOfLoop();
  }
  socket.end();
  return closed;
}
