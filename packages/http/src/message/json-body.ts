import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
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
import {
  announceFormat,
  JSON_BODY,
  MISSING_BODY,
  unsupportedFor,
  type BodyFormat,
} from './body-format.ts';
import { WINDOW_LOG, withSmallWindow } from './zstd-window.ts';

const MAX_BYTES = 100_000;

/** The values of rejected headers that an error repeats: no API key or access token has this form. */
const TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,40}$/;
const CODING = /^[a-z0-9-]{1,20}$/i;

/** The message for bodies that are too large. */
export const TOO_LARGE_BODY = `The body is larger than ${MAX_BYTES} bytes`;

/** The message for a body that stops being JSON there. */
export function notJsonAt({ line, column }: JsonFault): string {
  return `The body is not valid JSON at line ${line}, column ${column}`;
}

const OUTPUT = { maxOutputLength: MAX_BYTES } as const;

const ZSTD = { ...OUTPUT, params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG } } as const;

/** The window of a body in zstd that declares its size is as large as the body. */
const TOO_LARGE = new Set(['ERR_BUFFER_TOO_LARGE', 'ZSTD_error_frameParameter_windowTooLarge']);

const DECOMPRESSORS = new Map<string, (bytes: Buffer) => Promise<Buffer>>([
  ['gzip', (bytes) => promisify(gunzip)(bytes, OUTPUT)],
  ['deflate', (bytes) => promisify(inflate)(bytes, OUTPUT)],
  ['br', (bytes) => promisify(brotliDecompress)(bytes, OUTPUT)],
  ['zstd', (bytes) => promisify(zstdDecompress)(withSmallWindow(bytes), ZSTD)],
]);

/** The Accept-Encoding of a response to a body that is compressed otherwise. */
export const ACCEPTED_ENCODINGS = [...DECOMPRESSORS.keys()].join(', ');

/** It passes over a byte order mark. */
const decoder = new TextDecoder();

/**
 * Reads a request's body as `readJson` does.
 *
 * @throws BAD_USER_INPUT as well if it isn't an object
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
 * Reads a request's body: JSON of at most 100 kB, with every integer exact. No body at all is an object without members,
 * unless its format requires one.
 *
 * @param turn is awaited when the body has come, before it is parsed
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
    // For no other reason to refuse a body (RFC 9110, 12.5.3).
    response.setHeader('Accept-Encoding', ACCEPTED_ENCODINGS);
    throw unsupported(format, 'Content-Encoding', named(CODING, encoding));
  }
  // HTTP/1.0 does not know of it, and other expectations are not ours to meet (RFC 9110, 10.1.1).
  if (headers.expect?.toLowerCase() === '100-continue' && request.httpVersion !== '1.0') {
    response.writeContinue();
  }
  const bytes = await decompressed(await readBytes(request), encoding);
  if (bytes.length === 0) {
    return noBody(format);
  }
  await turn();
  if (request.socket.destroyed) {
    // Nobody waits for a response any more, but others wait for their turn.
    throw codedError('BAD_USER_INPUT', 'The client has disconnected');
  }
  // Decoding would put U+FFFD for whatever is not UTF-8, and so alter a name in silence.
  if (!isUtf8(bytes)) {
    throw codedError('BAD_USER_INPUT', 'The body is not valid UTF-8');
  }
  return parse(decoder.decode(bytes));
}

function noBody({ isRequired }: BodyFormat): object {
  if (isRequired) {
    throw codedError('BAD_USER_INPUT', MISSING_BODY);
  }
  return {};
}

/** Rejects a body by its headers. JSON is UTF-8 and nothing else (RFC 8259, 8.1). */
function expectJson(request: IncomingMessage, response: ServerResponse, format: BodyFormat): void {
  const { 'content-type': type = '', 'content-length': length } = request.headers;
  if (!format.usualType.test(type)) {
    const { essence = '', params } = mediaType(type) ?? {};
    const charset = params?.get('charset')?.toLowerCase() || 'utf-8';
    const isJson = format.mediaTypes.includes(essence);
    if (!isJson || charset !== 'utf-8') {
      announceFormat(response, format);
      const told = isJson ? `${essence}; charset=${named(CODING, charset)}` : named(TYPE, essence);
      throw unsupported(format, 'Content-Type', type === '' ? 'missing' : told);
    }
  }
  if (Number(length) > MAX_BYTES) {
    throw codedError('PAYLOAD_TOO_LARGE', TOO_LARGE_BODY);
  }
}

/** Undefined for what is none. */
function mediaType(type: string): MIMEType | undefined {
  try {
    return new MIMEType(type);
  } catch {
    return undefined;
  }
}

/** All of a body that ends; Node holds it to its Content-Length. */
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
      error instanceof Error && 'code' in error && TOO_LARGE.has(String(error.code));
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
  return fault === undefined ? 'The body is nested too deeply' : notJsonAt(fault);
}

function unsupported(format: BodyFormat, header: string, value: string): Error {
  return codedError('UNSUPPORTED_MEDIA_TYPE', unsupportedFor(format, header, value));
}

/** A header's value, unless it may be a secret. */
function named(form: RegExp, name: string): string {
  return form.test(name) ? name : 'none of these';
}
