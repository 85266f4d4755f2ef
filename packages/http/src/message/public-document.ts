import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerOtherMethod, isRead, READ_METHODS } from './methods.ts';
import { preferredEncoding, varyBy, type Encoding } from './negotiation.ts';
import { sendNotModified } from './preconditions.ts';
import { send } from './send.ts';

/** Makes something when it is first asked for, and once; a failure is tried again. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** What everyone gets alike and without a key: prepared once, sent often. */
export interface PublicDocument {
  readonly mediaType: string;
  /** Changes with the content. */
  readonly version: string;
  /** The content in an encoding, compressed when it is first asked for. */
  readonly encoded: Readonly<Record<Encoding, () => Promise<Uint8Array>>>;
}

/** Of 11: that would be 9 % smaller for megabytes of JavaScript, but takes 20 times as long. */
const BROTLI_QUALITY = 9;
const BROTLI_WINDOW_BITS = 24;
/** In base 64. */
const VERSION_LENGTH = 16;

/** Tags a document, for `mediaType` with its charset. */
export async function preparePublicDocument(
  content: string | Uint8Array,
  mediaType: string,
): Promise<PublicDocument> {
  const plain = Buffer.from(content);
  return {
    mediaType,
    version: await versionOf(plain),
    encoded: {
      br: memoize(() => compressWithBrotli(plain)),
      gzip: memoize(() => promisify(gzip)(plain)),
      identity: () => Promise.resolve(plain),
    },
  };
}

/** The version of a document with this content. */
export async function versionOf(content: Uint8Array<ArrayBuffer>): Promise<string> {
  // In libuv's thread pool, as is the compression: of some megabytes, both take a while.
  const digest = await crypto.subtle.digest('SHA-256', content);
  return Buffer.from(digest).toString('base64url').slice(0, VERSION_LENGTH);
}

/** The reference to a document that lets browsers keep it for good: with other content, the reference is another. */
export function versioned(reference: string, { version }: PublicDocument): string {
  return `${reference}?${version}`;
}

/** Sends the document in the encoding that the client prefers; or 304 if it has it already. */
export async function sendPublicDocument(
  { mediaType, version, encoded }: PublicDocument,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const encoding = preferredEncoding(request.headers['accept-encoding']?.toString());
  const isVersioned = request.url?.endsWith(`?${version}`) === true;
  response.setHeader(
    'Cache-Control',
    isVersioned ? 'public, max-age=31536000, immutable' : 'public, no-cache',
  );
  varyBy(response, 'Accept-Encoding');
  // Strong tags differ with the encoding (RFC 9110, 8.8.3.3).
  if (sendNotModified(response, `"${version}-${encoding}"`)) {
    return;
  }
  const body = await encoded[encoding]();
  if (encoding !== 'identity') {
    response.setHeader('Content-Encoding', encoding);
  }
  send(response, mediaType, body);
}

/**
 * Serves a document at an address that accepts GET and HEAD alone: an endpoint for all methods, or a handler of Express. The
 * document is made when it is first asked for.
 *
 * @throws METHOD_NOT_ALLOWED
 */
export function servePublicDocument(
  make: () => Promise<PublicDocument>,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const made = memoize(make);
  return async (request, response) => {
    if (!isRead(request)) {
      answerOtherMethod(request, response, READ_METHODS);
      return;
    }
    await sendPublicDocument(await made(), request, response);
  };
}

function compressWithBrotli(content: Uint8Array): Promise<Uint8Array> {
  return promisify(brotliCompress)(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
}
