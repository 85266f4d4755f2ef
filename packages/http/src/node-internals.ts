import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/*
 * All uses of private parts of Node's HTTP server are in this file: a connection's parser, and the listener that feeds it.
 * test/node-internals.test.ts fails if a Node release changes them.
 */

type Execute = (...args: unknown[]) => unknown;
/** A connection's parser, which is private to Node. */
interface Parser {
  execute: Execute;
  /** Returns the bytes that the parser is parsing, if they come directly from libuv. */
  readonly getCurrentBuffer: () => NonSharedBuffer;
}

declare module 'node:net' {
  interface Socket {
    readonly parser?: Parser | null;
  }
}

/*
 * Node's parser stops after a request with `Upgrade`, because the connection may no longer be HTTP. If the upgrade is ignored,
 * the parser continues with the next chunk, but drops the rest of the current chunk, so the requests in it would never be
 * answered.
 */

/**
 * Recovers the bytes that Node's parser drops after a request whose upgrade is ignored, if they come directly from libuv.
 *
 * @param onRest called with the rest of the chunk after the request, if there is any
 */
export function recoverBehind(
  request: IncomingMessage,
  onRest: (rest: NonSharedBuffer) => void,
): void {
  const { socket } = request;
  const { parser } = socket;
  const [place, executed] =
    Object.entries<unknown>({ ...parser }).find(([, value]) => isExecuted(value)) ?? [];
  if (parser == null || place === undefined || !isExecuted(executed)) {
    return;
  }
  Reflect.set(parser, place, (result: unknown): void => {
    if (request.complete || typeof result !== 'number') {
      Reflect.set(parser, place, executed);
    }
    const bytes = parser.getCurrentBuffer();
    executed(result);
    if (typeof result === 'number' && result < bytes.length && socket.parser === parser) {
      onRest(bytes.subarray(result));
    }
  });
}

/**
 * Parses a whole chunk that comes through JavaScript, even if the parser stops before its end.
 *
 * @param parse Node's own listener
 */
function parseToEnd(
  socket: Socket,
  parse: (bytes: NonSharedBuffer) => void,
  chunk: NonSharedBuffer,
): void {
  const { parser } = socket;
  if (parser == null) {
    return;
  }
  const { execute } = parser;
  let rest = chunk;
  while (rest.length > 0) {
    let result: unknown;
    parser.execute = (...args) => (result = Reflect.apply(execute, parser, args));
    try {
      parse(rest);
    } finally {
      Reflect.deleteProperty(parser, 'execute');
    }
    if (typeof result !== 'number' || socket.parser !== parser) {
      return;
    }
    rest = rest.subarray(result);
  }
}

function isExecuted(value: unknown): value is (result: unknown) => void {
  return typeof value === 'function' && value.name === 'bound onParserExecute';
}

/** Stops parsing incoming data, so that nothing in it is executed as a request. */
export function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data');
}

/** Minimum size of a chunk: small enough to hold at most 15 requests, and large enough not to split bodies into many chunks. */
const MIN_CHUNK_BYTES = 256;

/** The end of a chunk. Every request's head ends with a blank line. */
const BLANK_LINE = Buffer.from('\r\n\r\n');

interface ChunkedParsing {
  /** Whether to pause parsing. When this becomes false, the caller must resume the connection. */
  readonly isFull: () => boolean;
  /** Called with true when unparsed data is held back, and with false when there is none left. */
  readonly onHeld: (isHeld: boolean) => void;
}

/**
 * From now on, passes only a few requests at a time to Node's parser. By default, the parser receives everything that has
 * arrived, which may be thousands of requests in 64 kB.
 */
export function parseInChunks(socket: Socket, { isFull, onHeld }: ChunkedParsing): void {
  const [parse] = socket.listeners('data');
  if (parse === undefined) {
    // The parser was removed: nothing that follows is a request.
    return;
  }
  const read = (data: NonSharedBuffer): void => {
    onHeld(false);
    let rest = data;
    for (;;) {
      if (isFull() || socket.isPaused()) {
        socket.pause();
        socket.unshift(rest);
        onHeld(true);
        return;
      }
      const end = endOfChunk(rest);
      if (end === rest.length) {
        parseToEnd(socket, parse, rest);
        return;
      }
      parseToEnd(socket, parse, rest.subarray(0, end));
      rest = rest.subarray(end);
      if (!socket.listeners('data').includes(parse)) {
        return;
      }
    }
  };
  socket.removeListener('data', parse);
  // Because of the `listener` member, removing the parser's listener removes this one, as with once().
  socket.on('data', Object.assign(read, { listener: parse }));
}

function endOfChunk(bytes: Buffer): number {
  const blankLine =
    bytes.length > MIN_CHUNK_BYTES ? bytes.indexOf(BLANK_LINE, MIN_CHUNK_BYTES) : -1;
  return blankLine < 0 ? bytes.length : blankLine + BLANK_LINE.length;
}
