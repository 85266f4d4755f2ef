import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import type { Request, RequestHandler, Response } from 'express';
import { answerOtherMethod } from './allowed-methods.ts';
import { sendTagged } from './conditional.ts';
import { memoize } from './memoize.ts';

interface Representation {
  readonly body: Uint8Array;
  readonly etag: string;
}

/** What everyone gets alike and without a key: prepared once, sent often. */
export interface PublicDocument {
  readonly mediaType: string;
  readonly plain: Representation;
  readonly gzipped: Representation;
}

const METHODS = ['GET', 'HEAD'];

/** Compresses and tags a document, for `mediaType` with its charset. */
export async function preparePublicDocument(
  content: string | Buffer,
  mediaType: string,
): Promise<PublicDocument> {
  const plain = Buffer.from(content);
  const gzipped = await promisify(gzip)(plain);
  // Strong tags differ with the encoding (RFC 9110, 8.8.3.3).
  return {
    mediaType,
    plain: { body: plain, etag: etag(plain) },
    gzipped: { body: gzipped, etag: etag(gzipped) },
  };
}

/** Sends the document, compressed if the client takes gzip; or 304 if it has it already. */
export function sendPublicDocument(
  { mediaType, plain, gzipped }: PublicDocument,
  request: Request,
  response: Response,
): void {
  const compress = request.acceptsEncodings('gzip') === 'gzip';
  response.set('Cache-Control', 'public, no-cache').vary('Accept-Encoding');
  if (compress) {
    response.set('Content-Encoding', 'gzip');
  }
  sendTagged({ request, response }, { ...(compress ? gzipped : plain), mediaType });
}

/**
 * Serves a document at an address that takes GET and HEAD alone: to be mounted for all methods. It is made when it
 * is first asked for.
 *
 * @throws METHOD_NOT_ALLOWED
 */
export function servePublicDocument(make: () => Promise<PublicDocument>): RequestHandler {
  const made = memoize(make);
  return async (request, response) => {
    if (!METHODS.includes(request.method)) {
      answerOtherMethod(request, response, METHODS);
      return;
    }
    sendPublicDocument(await made(), request, response);
  };
}
