import type { Socket } from 'node:net';
import { parseToEnd } from './ignored-upgrade.ts';

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
