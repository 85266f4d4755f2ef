import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import type { Request, RequestHandler, Response } from 'express';
import { methodNotAllowed } from './allowed-methods.ts';
import { sendTagged } from './conditional.ts';
import { madeOnce } from './memoize.ts';

interface Representation {
  readonly bytes: Uint8Array;
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
  const bytes = Buffer.from(content);
  return {
    mediaType,
    plain: representation(bytes),
    gzipped: representation(await promisify(gzip)(bytes)),
  };
}

/** Strong tags differ with the encoding (RFC 9110, 8.8.3.3). */
function representation(bytes: Buffer): Representation {
  return { bytes, etag: etag(bytes) };
}

/** Sends the document, compressed if the client takes gzip; or 304 if it has it already. */
export function sendPublicDocument(
  document: PublicDocument,
  request: Request,
  response: Response,
): void {
  const compress = request.acceptsEncodings('gzip') === 'gzip';
  const { bytes, etag: tag } = compress ? document.gzipped : document.plain;
  response.set('Cache-Control', 'public, no-cache').vary('Accept-Encoding');
  if (compress) {
    response.set('Content-Encoding', 'gzip');
  }
  sendTagged({ request, response }, { etag: tag, mediaType: document.mediaType, body: bytes });
}

/**
 * Serves a document at an address that takes nothing but GET and HEAD: to be mounted for all methods.
 * The document is made when it is first asked for, and once.
 */
export function servePublicDocument(make: () => Promise<PublicDocument>): RequestHandler {
  const made = madeOnce(make);
  return async (request, response) => {
    refuseOtherMethods(request, response);
    sendPublicDocument(await made(), request, response);
  };
}

/** @throws METHOD_NOT_ALLOWED for anything that does not just read */
function refuseOtherMethods({ method }: Request, response: Response): void {
  if (!METHODS.includes(method)) {
    throw methodNotAllowed(response, METHODS);
  }
}
