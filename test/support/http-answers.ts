import { connect } from 'node:net';

/** A response as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** By lower-case name; values of a repeated header are joined with a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface ReadAnswers {
  /** The complete final responses. */
  readonly answers: readonly WireAnswer[];
  /** How the bytes violate HTTP/1.1 (RFC 9112), if they do. */
  readonly fault: string | undefined;
  /** The minimum number of bytes before reading again can find more; 0 if no response has begun. */
  readonly needed: number;
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The offset at which the body starts. */
  readonly end: number;
}

const HEAD_END = '\r\n\r\n';
const LONGEST_HEAD = 65_536;
const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t -~]*$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*((?:[!-~\x80-\xff][\t -~\x80-\xff]*)?)$/;

/** Headers that the standard allows only once. */
const SINGLE = new Set(['content-length', 'content-type', 'transfer-encoding', 'date']);

/** The bytes are not HTTP. The error is thrown internally and reported as a fault. */
class Malformed extends Error {}

/**
 * Strictly parses everything that a server has sent on a connection.
 *
 * @param lacksBody whether the response with this index, from 0, is to a HEAD; undefined if that is unknown
 * @param isClosed whether no more bytes follow: some bodies end with the connection
 */
export function readAnswers(
  bytes: Buffer,
  lacksBody: (index: number) => boolean | undefined,
  isClosed: boolean,
): ReadAnswers {
  const answers: WireAnswer[] = [];
  let start = 0;
  try {
    while (start < bytes.length) {
      const head = readHead(bytes, start);
      const body = head && readBody(bytes, head, lacksBody(answers.length), isClosed);
      if (head === undefined || body === undefined) {
        return { answers, fault: undefined, needed: bytes.length + 1 };
      }
      if (typeof body === 'number') {
        return { answers, fault: undefined, needed: body };
      }
      if (head.status >= 200) {
        answers.push({ status: head.status, headers: head.headers, body: body.content });
      }
      start = body.end;
    }
    return { answers, fault: undefined, needed: 0 };
  } catch (error) {
    if (error instanceof Malformed) {
      return { answers, fault: error.message, needed: 0 };
    }
    throw error;
  }
}

function readHead(bytes: Buffer, start: number): Head | undefined {
  const end = bytes.indexOf(HEAD_END, start);
  if (end === -1 || end - start > LONGEST_HEAD) {
    const begun = bytes.toString('latin1', start, start + 9);
    if (bytes.length - start > LONGEST_HEAD || !'HTTP/1.1 '.startsWith(begun)) {
      throw new Malformed(`no head of an answer: ${JSON.stringify(begun)}`);
    }
    return undefined;
  }
  const [statusLine = '', ...fields] = bytes.toString('latin1', start, end).split('\r\n');
  const [, status] = STATUS_LINE.exec(statusLine) ?? [];
  if (status === undefined) {
    throw new Malformed(`no status line: ${JSON.stringify(statusLine)}`);
  }
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    const key = name.toLowerCase();
    const before = headers.get(key);
    if (key === '' || (before !== undefined && SINGLE.has(key))) {
      throw new Malformed(`no header, or one too many: ${JSON.stringify(field)}`);
    }
    headers.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return { status: Number(status), headers, end: end + HEAD_END.length };
}

/** Returns a body and its end, or the number of bytes that it requires, or undefined if that is unknown. */
function readBody(
  bytes: Buffer,
  { status, headers, end }: Head,
  isBodiless: boolean | undefined,
  isClosed: boolean,
): { readonly content: Buffer; readonly end: number } | number | undefined {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  const none = { content: Buffer.alloc(0), end };
  if (status < 200 || status === 204 || status === 304 || isBodiless === true) {
    return none;
  }
  if (isBodiless === undefined && isNextAnswer(bytes, end)) {
    return none;
  }
  if (coding !== undefined) {
    if (length !== undefined || coding !== 'chunked') {
      throw new Malformed(`Transfer-Encoding: ${coding}, Content-Length: ${length}`);
    }
    return readChunks(bytes, end);
  }
  if (length !== undefined) {
    if (!/^\d+$/.test(length)) {
      throw new Malformed(`Content-Length: ${length}`);
    }
    const bodyEnd = end + Number(length);
    return bodyEnd > bytes.length
      ? bodyEnd
      : { content: bytes.subarray(end, bodyEnd), end: bodyEnd };
  }
  if (headers.get('connection') !== 'close') {
    throw new Malformed('neither a length nor a connection that is closed');
  }
  return isClosed ? { content: bytes.subarray(end), end: bytes.length } : undefined;
}

/** Returns whether a response that may be to a HEAD is followed by nothing, or by the next response. */
function isNextAnswer(bytes: Buffer, end: number): boolean {
  return end === bytes.length || bytes.toString('latin1', end, end + 7) === 'HTTP/1.';
}

function readChunks(bytes: Buffer, start: number) {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) {
      return undefined;
    }
    const size = bytes.toString('latin1', at, lineEnd);
    if (!/^[\da-fA-F]+$/.test(size)) {
      throw new Malformed(`no size of a chunk: ${JSON.stringify(size)}`);
    }
    const from = lineEnd + 2;
    const to = from + Number.parseInt(size, 16);
    if (bytes.length < to + 2) {
      return to + 2;
    }
    if (bytes.toString('latin1', to, to + 2) !== '\r\n') {
      throw new Malformed('a chunk that does not end');
    }
    chunks.push(bytes.subarray(from, to));
    at = to + 2;
    if (to === from) {
      return { content: Buffer.concat(chunks), end: at };
    }
  }
}

/** The time in milliseconds after which a test stops waiting. */
const ANSWER_TIMEOUT = 20_000;

/**
 * Sends bytes that an HTTP client may not be able to send, on a separate connection; text is sent as Latin-1. Resolves
 * to the responses when there are enough of them or the server has closed the connection.
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
    // The close event, which follows, matters.
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
