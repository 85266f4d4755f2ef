import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/*
 * The only uses of private parts of Node's HTTP server: a connection's parser, and the listener that feeds it.
 * test/node-internals.test.ts fails if a Node release changes them.
 */

type Execute = (...args: unknown[]) => unknown;
/** Node's parser of a connection. */
interface Parser {
  execute: Execute;
  /** The bytes that it executes, while they come to it straight from libuv. */
  readonly getCurrentBuffer: () => NonSharedBuffer;
}

declare module 'node:net' {
  interface Socket {
    readonly parser?: Parser | null;
  }
}

/*
 * Node's parser stops behind a request with `Upgrade`, whose connection might be no longer HTTP. If the upgrade is ignored, it parses
 * what comes next, but drops what came in the same chunk: requests that would never be answered.
 */

/**
 * Recovers what is dropped behind a request whose upgrade is ignored, if its bytes come to the parser straight from libuv.
 *
 * @param onRest called with what came in the same chunk behind the request, if anything did
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
 * Parses a chunk that comes through JavaScript, to its end.
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

/** Parses nothing more of what arrives: none of it is taken for a request and executed. */
export function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data');
}

/** A chunk has at least so many: it holds 15 requests at most, and a body is a few chunks. */
const MIN_CHUNK_BYTES = 256;

/** Ends a chunk. Every request has one, at the end of its head. */
const BLANK_LINE = Buffer.from('\r\n\r\n');

interface ChunkedParsing {
  /** Whether to parse no more for now. Whoever changes that resumes the connection. */
  readonly isFull: () => boolean;
  /** Called when data is held back, unparsed; and when none is any more. */
  readonly onHeld: (isHeld: boolean) => void;
}

/**
 * Gives Node's parser a few requests at a time from now on. By default it gets all that has arrived: in 64 kB, thousands of
 * requests.
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
  // So that removing the parser's listener removes this one, as with once().
  socket.on('data', Object.assign(read, { listener: parse }));
}

function endOfChunk(bytes: Buffer): number {
  const blankLine =
    bytes.length > MIN_CHUNK_BYTES ? bytes.indexOf(BLANK_LINE, MIN_CHUNK_BYTES) : -1;
  return blankLine < 0 ? bytes.length : blankLine + BLANK_LINE.length;
}
