import type { ServerResponse, IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { MIMEType, promisify } from 'node:util';
import { brotliDecompress, constants, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { codedError } from '@store-gateway/ops/errors';
import {
  parseExactly,
  TooManyExactNumbers,
  isJsonObject,
  jsonFault,
  type JsonFault,
} from '@store-gateway/ops';
import { hasBody } from '../request-head.ts';

/** The format of a route's request body, which is always JSON. */
interface BodyFormat {
  readonly mediaTypes: readonly [string, ...string[]];
  /**
   * The media type as nearly all clients write it. Comparing it first saves time, because parsing the header takes ten times as
   * long as everything else.
   */
  readonly usualType: RegExp;
  /** The beginning of the message for a body with an unsupported type or encoding. */
  readonly unsupported: string;
  /** Whether a request without a body is rejected. Otherwise, its body is an empty object. */
  readonly isRequired: boolean;
  /** The header that lists the accepted media types (RFC 5789, 3.1). */
  readonly announcedBy?: 'Accept-Patch';
}

/** JSON in UTF-8. It may be compressed or omitted. */
const JSON_BODY: BodyFormat = {
  mediaTypes: ['application/json'],
  usualType: /^application\/json(?:; ?charset=utf-8)?$/i,
  unsupported:
    'The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd',
  isRequired: false,
};

/** The body of a PUT request. It is required: as an empty object, a missing body would clear all optional members. */
const REPLACEMENT: BodyFormat = { ...JSON_BODY, isRequired: true };

/** A JSON merge patch (RFC 7396). */
const MERGE_PATCH: BodyFormat = {
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  usualType: /^application\/(?:merge-patch\+)?json(?:; ?charset=utf-8)?$/i,
  unsupported:
    'The body must be application/merge-patch+json or application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd',
  isRequired: true,
  announcedBy: 'Accept-Patch',
};

/** Returns the format of a request's body, for routes that have one. */
export function bodyFormatOf({ method }: { readonly method: string }): BodyFormat {
  if (method === 'patch') {
    return MERGE_PATCH;
  }
  return method === 'put' ? REPLACEMENT : JSON_BODY;
}

/** The messages for bodies that are rejected. */
export const BODY_MESSAGES = {
  /** For an empty body where a body is required. */
  missing: 'The body is missing',
  /** For a body with an unsupported type or encoding. `value` is the header's value, unless it may be a secret. */
  unsupported: ({ unsupported }: BodyFormat, header: string, value: string): string =>
    `${unsupported}; its ${header} is ${value}`,
  /** For a body that can't be parsed. */
  notJsonAt: ({ line, column }: JsonFault): string =>
    `The body is not valid JSON at line ${line}, column ${column}`,
} as const;

/** Lists the media types that a format accepts, if there is a header for that. */
export function announceFormat(
  response: ServerResponse,
  { announcedBy, mediaTypes }: BodyFormat,
): void {
  if (announcedBy !== undefined) {
    response.setHeader(announcedBy, mediaTypes.join(', '));
  }
}

/** The magic number of a zstd frame, and the positions of the frame's fields (RFC 8878, 3.1.1). */
const ZSTD_MAGIC = 0xfd2fb528;
const DESCRIPTOR_AT = 4;
const WINDOW_AT = 5;

/**
 * The flag in a frame's descriptor that is set if the frame declares its content's size instead of a window. The size then also
 * serves as the window.
 */
const SINGLE_SEGMENT = 0x20;

/** A window of 8 MiB, the largest that HTTP allows (RFC 9659, 3). */
const MAX_ZSTD_WINDOW = 13 << 3;

/** The binary logarithm of 128 KiB, a window that any accepted body fits into. */
const WINDOW_LOG = 17;
const SMALL_WINDOW = (WINDOW_LOG - 10) << 3;

/**
 * Reduces a body's declared window to at most 128 KiB. The decoder allocates the declared window, so many bodies of 33 bytes
 * could force full garbage collections. The smaller window suffices, because nothing in a body refers farther back than the
 * body's length.
 *
 * @throws RangeError if the body declares more than 8 MiB
 */
export function withSmallWindow(body: Buffer): Buffer {
  const window = body[WINDOW_AT] ?? 0;
  const isSingle = ((body[DESCRIPTOR_AT] ?? 0) & SINGLE_SEGMENT) !== 0;
  if (window <= SMALL_WINDOW || isSingle || body.readUInt32LE(0) !== ZSTD_MAGIC) {
    return body;
  }
  if (window > MAX_ZSTD_WINDOW) {
    throw new RangeError('the window is larger than 8 MiB');
  }
  const copy = Buffer.from(body);
  copy[WINDOW_AT] = SMALL_WINDOW;
  return copy;
}

const MAX_BYTES = 100_000;

/** Matches header values that an error may repeat, because no API key or access token has this form. */
const TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,40}$/;
const CODING = /^[a-z0-9-]{1,20}$/i;

/** The message for bodies that are too large. */
export const TOO_LARGE_BODY = `The body is larger than ${MAX_BYTES} bytes`;

const OUTPUT = { maxOutputLength: MAX_BYTES } as const;

const ZSTD = { ...OUTPUT, params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } } as const;

/** Decompressors' error codes for bodies that are too large. If a zstd body declares its size, the size is also its window. */
const TOO_LARGE_CODES = new Set([
  'ERR_BUFFER_TOO_LARGE',
  'ZSTD_error_frameParameter_windowTooLarge',
]);

const DECOMPRESSORS = new Map<string, (bytes: Buffer) => Promise<Buffer>>([
  ['gzip', (bytes) => promisify(gunzip)(bytes, OUTPUT)],
  ['deflate', (bytes) => promisify(inflate)(bytes, OUTPUT)],
  ['br', (bytes) => promisify(brotliDecompress)(bytes, OUTPUT)],
  ['zstd', (bytes) => promisify(zstdDecompress)(withSmallWindow(bytes), ZSTD)],
]);

/** The Accept-Encoding header for the response to a body with an unsupported encoding. */
export const ACCEPTED_ENCODINGS = [...DECOMPRESSORS.keys()].join(', ');

/** Decodes UTF-8, and removes a byte order mark. */
const decoder = new TextDecoder();

/**
 * Like `readJson`, but rejects a body that isn't an object.
 *
 * @throws BAD_USER_INPUT if the body isn't an object, and the errors from `readJson`
 */
export async function readJsonObject(
  ...exchange: Parameters<typeof readJson>
): Promise<Record<string, unknown>> {
  const body = await readJson(...exchange);
  if (!isJsonObject(body)) {
    throw codedError('BAD_USER_INPUT', 'The body must be a JSON object');
  }
  return body;
}

/**
 * Reads a request's body: JSON of at most 100 kB, with exact integers. A missing body is an empty object, unless the format
 * requires one.
 *
 * @param turn awaited when the body has arrived, before it is parsed
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or BAD_USER_INPUT
 */
export async function readJson(
  request: IncomingMessage,
  response: ServerResponse,
  turn: () => Promise<void>,
  format: BodyFormat = JSON_BODY,
): Promise<unknown> {
  const { headers } = request;
  if (headers['content-length'] === '0' || !hasBody(request)) {
    return noBody(format);
  }
  expectJson(request, response, format);
  const encoding = headers['content-encoding']?.toLowerCase() || 'identity';
  if (encoding !== 'identity' && !DECOMPRESSORS.has(encoding)) {
    // Sent only if the body is rejected because of its encoding (RFC 9110, 12.5.3).
    response.setHeader('Accept-Encoding', ACCEPTED_ENCODINGS);
    throw unsupportedBody(format, 'Content-Encoding', named(CODING, encoding));
  }
  // HTTP/1.0 doesn't support 100 Continue, and the server doesn't support any other expectation (RFC 9110, 10.1.1).
  if (headers.expect?.toLowerCase() === '100-continue' && request.httpVersion !== '1.0') {
    response.writeContinue();
  }
  const bytes = await decompressed(await readBytes(request), encoding);
  if (bytes.length === 0) {
    return noBody(format);
  }
  await turn();
  if (request.socket.destroyed) {
    // Parsing the body of a client that has disconnected would delay the clients that are waiting.
    throw codedError('BAD_USER_INPUT', 'The client has disconnected');
  }
  // Decoding would replace invalid bytes with U+FFFD, and silently change a name.
  if (!isUtf8(bytes)) {
    throw codedError('BAD_USER_INPUT', 'The body is not valid UTF-8');
  }
  return parse(decoder.decode(bytes));
}

function noBody({ isRequired }: BodyFormat): object {
  if (isRequired) {
    throw codedError('BAD_USER_INPUT', BODY_MESSAGES.missing);
  }
  return {};
}

/** Rejects a body whose headers declare an unsupported type or too many bytes. JSON must be UTF-8 (RFC 8259, 8.1). */
function expectJson(request: IncomingMessage, response: ServerResponse, format: BodyFormat): void {
  const { 'content-type': type = '', 'content-length': length } = request.headers;
  if (!format.usualType.test(type)) {
    const { essence = '', params } = mediaType(type) ?? {};
    const charset = params?.get('charset')?.toLowerCase() || 'utf-8';
    const isJson = format.mediaTypes.includes(essence);
    if (!isJson || charset !== 'utf-8') {
      announceFormat(response, format);
      const told = isJson ? `${essence}; charset=${named(CODING, charset)}` : named(TYPE, essence);
      throw unsupportedBody(format, 'Content-Type', type === '' ? 'missing' : told);
    }
  }
  if (Number(length) > MAX_BYTES) {
    throw codedError('PAYLOAD_TOO_LARGE', TOO_LARGE_BODY);
  }
}

/** Parses a media type; returns undefined if it is invalid. */
function mediaType(type: string): MIMEType | undefined {
  try {
    return new MIMEType(type);
  } catch {
    return undefined;
  }
}

/** Reads a whole body. Node enforces its Content-Length. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > MAX_BYTES) {
        chunks.length = 0;
        reject(codedError('PAYLOAD_TOO_LARGE', TOO_LARGE_BODY));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    });
    request.on('error', () => {
      reject(codedError('BAD_USER_INPUT', 'The body ended early'));
    });
  });
}

async function decompressed(bytes: Buffer, encoding: string): Promise<Buffer> {
  try {
    return (await DECOMPRESSORS.get(encoding)?.(bytes)) ?? bytes;
  } catch (error) {
    const isTooLarge =
      error instanceof Error && 'code' in error && TOO_LARGE_CODES.has(String(error.code));
    throw isTooLarge
      ? codedError('PAYLOAD_TOO_LARGE', TOO_LARGE_BODY)
      : codedError('BAD_USER_INPUT', `The body cannot be decompressed as ${encoding}`);
  }
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw codedError('BAD_USER_INPUT', faultOf(text, error));
  }
}

function faultOf(text: string, error: unknown): string {
  if (error instanceof TooManyExactNumbers) {
    return error.message;
  }
  const fault = jsonFault(text);
  return fault === undefined ? 'The body is nested too deeply' : BODY_MESSAGES.notJsonAt(fault);
}

function unsupportedBody(format: BodyFormat, header: string, value: string): Error {
  return codedError('UNSUPPORTED_MEDIA_TYPE', BODY_MESSAGES.unsupported(format, header, value));
}

/** Returns a header's value, unless it may be a secret. */
function named(form: RegExp, name: string): string {
  return form.test(name) ? name : 'none of these';
}
