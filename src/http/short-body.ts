import type { IncomingMessage } from 'node:http';
import { exactNumbers } from '../json.ts';

/** Bytes. What is nested in so few is not nested too deep for anything that reads it. */
const SHORT = 4096;

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** What a number may look like that a double could round. */
const INEXACT = /\d{16}|\d[.eE]/;

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

/** The value that a text says, with every integer exact. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  return INEXACT.test(text) ? JSON.parse(text, exactNumbers) : JSON.parse(text);
}
