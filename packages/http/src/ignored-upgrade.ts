import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

type Execute = (...args: unknown[]) => unknown;
/** What of Node's parser of a connection is used here: none of it is documented. */
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
export function parseToEnd(
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
