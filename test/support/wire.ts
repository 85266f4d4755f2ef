import { connect } from 'node:net';
import { readAnswers, type WireAnswer } from './http-answers.ts';

/** Milliseconds after which the test has waited long enough. */
const ANSWER_TIMEOUT = 20_000;

/**
 * Sends bytes on a connection of their own, of which no client of HTTP would send some, as Latin-1 if they are text;
 * resolves to the answers once there are so many, or the server has closed.
 *
 * @param methods of the requests that are to be answered
 */
export function sendBytes(
  url: string,
  bytes: string | Buffer,
  methods: readonly string[] = ['GET'],
): Promise<readonly WireAnswer[]> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    const read = (isClosed: boolean) =>
      readAnswers(Buffer.concat(received), (index) => methods[index] === 'HEAD', isClosed);
    socket.setTimeout(ANSWER_TIMEOUT, () => {
      socket.destroy();
      reject(new Error(`no answer to ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`));
    });
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (read(false).answers.length >= methods.length) {
        socket.destroy();
      }
    });
    // What matters is the close that follows.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      const { answers, fault } = read(true);
      if (fault === undefined) {
        resolve(answers);
      } else {
        reject(new Error(fault));
      }
    });
    socket.write(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1'));
  });
}
