import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerOtherMethod, isRead, READ_METHODS, send } from './send.ts';
import { varyBy } from './negotiation.ts';
import { sendNotModified } from './preconditions.ts';

/**
 * Returns a function that calls `make` when its result is first requested, and caches the result. After a failure, the next call
 * tries again.
 */
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

/** A document that is the same for all clients, and needs no API key. It is prepared once and sent often. */
export interface PublicDocument {
  readonly mediaType: string;
  /** Changes whenever the content changes. */
  readonly version: string;
  /** The content in each encoding, compressed when it is first requested. */
  readonly encoded: Readonly<Record<Encoding, () => Promise<Uint8Array>>>;
}

/** The maximum, 11, would make megabytes of JavaScript 9 % smaller, but would take 20 times as long. */
const BROTLI_QUALITY = 9;
const BROTLI_WINDOW_BITS = 24;
/** The length of a version, in base64url digits. */
const VERSION_LENGTH = 16;

/**
 * Prepares a document for sending.
 *
 * @param mediaType the media type, with its charset
 */
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

/** Returns the version of a document with this content. */
export async function versionOf(content: Uint8Array<ArrayBuffer>): Promise<string> {
  // Runs in libuv's thread pool, like compression, because both take long for megabytes of content.
  const digest = await crypto.subtle.digest('SHA-256', content);
  return Buffer.from(digest).toString('base64url').slice(0, VERSION_LENGTH);
}

/**
 * Adds a document's version to a reference, so that browsers may cache the document permanently: a change to the content changes
 * the reference.
 */
export function versioned(reference: string, { version }: PublicDocument): string {
  return `${reference}?${version}`;
}

/** Sends the document in the encoding that the client prefers, or 304 if the client already has it. */
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
  // Strong entity tags must differ between encodings (RFC 9110, 8.8.3.3).
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
 * Returns a handler that serves a document at an address that accepts only GET and HEAD. Use it as an endpoint for all methods,
 * or in Express. The document is created when it is first requested.
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

/** A content coding that the service offers. */
type Encoding = 'br' | 'gzip' | 'identity';

/** Ordered by the size of the result, smallest first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const satisfies readonly Encoding[];

/**
 * The weight of `identity` if the header doesn't mention it. It is below the smallest weight, 0.001: `identity` stays acceptable,
 * but any coding that the client requests is preferred.
 */
const UNLISTED_IDENTITY = 0.0001;

const MEMBER = /^([^\s;]+)(?:\s*;\s*q=([\d.]+))?$/i;

/**
 * Returns the coding that an Accept-Encoding header prefers (RFC 9110, 12.5.3). Among equals, it is the one with the smallest
 * result. Express would choose the first one in the header, which is gzip in browsers.
 */
function preferredEncoding(accepted = ''): Encoding {
  const weights = new Map(
    accepted.split(',').map((member) => {
      const [, coding = '', weight = '1'] = MEMBER.exec(member.trim()) ?? [];
      return [coding.toLowerCase(), Number(weight)];
    }),
  );
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNLISTED_IDENTITY : 0);
  const [preferred = 'identity'] = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
  return preferred;
}
