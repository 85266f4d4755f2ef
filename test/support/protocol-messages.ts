/** A message of PostgreSQL's protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
export interface Message {
  /** A letter; '' of the first one that a client sends, which has none. */
  readonly type: string;
  /** The whole message. */
  readonly bytes: Buffer;
}

const LENGTH_BYTES = 4;

/** Takes what one side sends, however it is cut into pieces, and gives its messages, each when it is whole. */
export function createMessageReader(
  side: 'client' | 'database',
  take: (message: Message) => void,
): (piece: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typeBytes = side === 'client' ? 0 : 1;
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) {
        return;
      }
      const bytes = rest.subarray(0, length);
      rest = rest.subarray(length);
      const type = bytes.toString('latin1', 0, typeBytes);
      typeBytes = 1;
      take({ type, bytes });
    }
  };
}

/** The name of the prepared statement that a Bind executes; undefined of other messages. */
export function statementOf({ type, bytes }: Message): string | undefined {
  if (type !== 'B') {
    return undefined;
  }
  const name = bytes.indexOf(0, 1 + LENGTH_BYTES) + 1;
  return bytes.toString('utf8', name, bytes.indexOf(0, name));
}
