import type { IncomingMessage } from 'node:http';

/** Bytes. */
const SHORT = 4096;

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Whether a request has a short JSON body, and it says so in the usual way: most do. Express's parser, which
 * takes all others, takes ten times as long.
 */
export function hasShortJson({ headers }: IncomingMessage): boolean {
  return (
    Number(headers['content-length']) <= SHORT &&
    headers['content-encoding'] === undefined &&
    headers.expect === undefined &&
    JSON_TYPE.test(headers['content-type'] ?? '')
  );
}

/** All of a body that ends; Node holds it to its Content-Length. Rejects if the client goes away. */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    request.on('error', reject);
  });
}
