import type { Socket } from 'node:net';

/** Bytes that are parsed at once at least: a piece has 15 requests at most, and a body is a few pieces. */
const MIN_PIECE_BYTES = 256;

/** Behind it a piece ends. Every request has one, at the end of its head. */
const BLANK_LINE = Buffer.from('\r\n\r\n');

export interface PiecewiseParsing {
  /** Whether nothing more is to be parsed for now. Whoever changes that resumes the connection. */
  readonly isFull: () => boolean;
  /** The rest of what has arrived is held back, unparsed. */
  readonly onHeld: () => void;
  /** Nothing is held back any more. */
  readonly onReleased: () => void;
}

/**
 * Gives Node's parser a few requests at a time from now on. It makes requests of everything that it is given, and by
 * itself is given all that has arrived: 64 kB, which may be thousands.
 *
 * @param socket a connection of an HTTP server
 */
export function parseInPieces(
  socket: Socket,
  { isFull, onHeld, onReleased }: PiecewiseParsing,
): void {
  const [parse] = socket.listeners('data');
  if (parse === undefined) {
    // The parser was taken away: nothing that follows is a request.
    return;
  }
  const read = (chunk: NonSharedBuffer): void => {
    onReleased();
    let rest = chunk;
    for (;;) {
      if (isFull() || socket.isPaused()) {
        socket.pause();
        socket.unshift(rest);
        onHeld();
        return;
      }
      const end = endOfPiece(rest);
      if (end === rest.length) {
        parse(rest);
        return;
      }
      parse(rest.subarray(0, end));
      rest = rest.subarray(end);
      if (!socket.listeners('data').includes(parse)) {
        return;
      }
    }
  };
  socket.removeListener('data', parse);
  // So that whoever takes the parser away takes this away, as with once().
  socket.on('data', Object.assign(read, { listener: parse }));
}

function endOfPiece(bytes: Buffer): number {
  const blankLine =
    bytes.length > MIN_PIECE_BYTES ? bytes.indexOf(BLANK_LINE, MIN_PIECE_BYTES) : -1;
  return blankLine < 0 ? bytes.length : blankLine + BLANK_LINE.length;
}
