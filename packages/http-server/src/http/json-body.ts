import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { codedError, errorCode, type ErrorCode } from '@gateway/errors/coded-error';
import { parseExactly } from '@gateway/exact-json/exact-json';
import { isJsonObject } from '@gateway/exact-json/json';
import { hasShortJson, readBytes } from './short-body.ts';

const MAXIMUM_BYTES = 100_000;

/** What callers are told of bodies that are refused unread, or can't be read. */
export const BODY_REFUSALS = {
  BAD_USER_INPUT: 'The body is not valid JSON, or nested too deeply',
  PAYLOAD_TOO_LARGE: `The body is larger than ${MAXIMUM_BYTES} bytes`,
  UNSUPPORTED_MEDIA_TYPE:
    'The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd',
} as const satisfies Partial<Record<ErrorCode, string>>;

const readText = express.text({
  limit: MAXIMUM_BYTES,
  // It has been checked by then.
  type: () => true,
  // Decoding would put U+FFFD for whatever is not UTF-8, and so alter a name in silence. JSON is UTF-8
  // and nothing else (RFC 8259, 8.1).
  verify: (_request, _response, bytes, encoding) => {
    if (encoding !== 'utf-8') {
      throw bodyRefusal('UNSUPPORTED_MEDIA_TYPE');
    }
    expectUtf8(bytes);
  },
});

/**
 * Reads a request's body: a JSON object of at most 100 kB, with every integer exact. No body at all is
 * an object without members.
 *
 * @param turn is awaited when the body has come, before it is parsed
 * @throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or BAD_USER_INPUT
 */
export async function readJsonObject(
  request: Request,
  response: Response,
  turn: () => Promise<void>,
): Promise<Record<string, unknown>> {
  if (request.get('Content-Length') === '0') {
    return {};
  }
  const text = hasShortJson(request)
    ? await readShort(request)
    : await readByExpress(request, response);
  if (text === undefined) {
    return {};
  }
  await turn();
  if (request.socket.destroyed) {
    // Nobody waits for an answer any more, but others wait for their turn.
    throw codedError('BAD_USER_INPUT', 'The client has gone');
  }
  const body = parse(text);
  if (!isJsonObject(body)) {
    throw codedError('BAD_USER_INPUT', 'The body must be a JSON object');
  }
  return body;
}

async function readShort(request: Request): Promise<string> {
  const bytes = await readBytes(request).catch(() => {
    throw bodyRefusal('BAD_USER_INPUT');
  });
  expectUtf8(bytes);
  return decoder.decode(bytes);
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw errorCode(error) === undefined ? bodyRefusal('BAD_USER_INPUT') : error;
  }
}

/** It passes over a byte order mark. */
const decoder = new TextDecoder();

/** The text of a body, or undefined if there is none. */
async function readByExpress(request: Request, response: Response): Promise<string | undefined> {
  if (request.is('*/*') === null) {
    return undefined;
  }
  if (request.is('application/json') === false) {
    throw bodyRefusal('UNSUPPORTED_MEDIA_TYPE');
  }
  if (Number(request.headers['content-length']) > MAXIMUM_BYTES) {
    throw bodyRefusal('PAYLOAD_TOO_LARGE');
  }
  // HTTP/1.0 does not know of it (RFC 9110, 10.1.1).
  if (request.headers.expect !== undefined && request.httpVersion !== '1.0') {
    response.writeContinue();
  }
  await new Promise<void>((resolve, reject) => {
    let received = 0;
    request.on('data', ({ length }: Buffer) => {
      received += length;
      if (received > MAXIMUM_BYTES) {
        // The parser would tell it once it has read all of the body, however long that is.
        reject(bodyRefusal('PAYLOAD_TOO_LARGE'));
      }
    });
    readText(request, response, (error?: unknown) => {
      if (error === undefined) {
        resolve();
      } else {
        reject(bodyError(error));
      }
    });
  });
  const text: unknown = request.body;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** What Express's parser has against a body, in our words. https://github.com/expressjs/body-parser#errors */
function bodyError(error: unknown): Error {
  if (!(error instanceof Error) || errorCode(error) !== undefined) {
    return error instanceof Error ? error : new Error('the body was not read', { cause: error });
  }
  switch ('status' in error ? error.status : undefined) {
    case 400:
      return bodyRefusal('BAD_USER_INPUT');
    case 413:
      return bodyRefusal('PAYLOAD_TOO_LARGE');
    case 415:
      return bodyRefusal('UNSUPPORTED_MEDIA_TYPE');
    default:
      return error;
  }
}

function expectUtf8(bytes: Uint8Array): void {
  if (!isUtf8(bytes)) {
    throw codedError('BAD_USER_INPUT', 'The body is not valid UTF-8');
  }
}

function bodyRefusal(code: keyof typeof BODY_REFUSALS): Error {
  return codedError(code, BODY_REFUSALS[code]);
}
