import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { KEY_PLACE } from '../../fuzz/exchange.ts';

/** Where an attacker sends its requests, and with which key. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** A valid key that no other client uses. */
  readonly key: string;
  readonly connections: number;
}

/** Attacks until its process is ended. */
type Run = (target: Target) => void;

export interface Attack {
  /** A clause, as in "a different key is served while ...". */
  readonly name: string;
  /** The number of connections that the attack keeps open. A trial with fewer connections proves nothing. */
  readonly connections: number;
  readonly run: Run;
  /** The attack sends nothing. */
  readonly isIdle?: true;
  /** The environment of the attacked service. */
  readonly env?: NodeJS.ProcessEnv;
  /** The reader of the service's log hangs. */
  readonly isLogUnread?: true;
  /** The attacked service runs the embedded PostgreSQL. */
  readonly isEmbedded?: true;
}

export function attack(
  name: string,
  connections: number,
  run: Run,
  options: Pick<Attack, 'isIdle' | 'env' | 'isLogUnread'> = {},
): Attack {
  return { name, connections, run, ...options };
}

/** Milliseconds until a closed connection is opened again. */
const PAUSE = 20;

/** Slow enough not to overflow the accept queue, because the kernel would drop connections. */
const OPENED_PER_MS = 5;

/** Keeps the attack's connections open. @returns those that are open */
function keepOpen(
  { host, port, connections }: Target,
  onConnect: (socket: Socket) => void,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const open = () => {
    const socket = connect({ host, port, allowHalfOpen: true });
    socket
      .once('connect', () => {
        sockets.add(socket);
        onConnect(socket);
      })
      // The server may end the connection with or without a response.
      .once('end', () => socket.destroy())
      .on('error', () => undefined)
      .once('close', () => {
        sockets.delete(socket);
        setTimeout(open, PAUSE);
      });
  };
  for (let count = 0; count < connections; count += 1) {
    setTimeout(open, count / OPENED_PER_MS);
  }
  return sockets;
}

/** Does something with each connection when it is open. */
export function connecting(onConnect: (socket: Socket, target: Target) => void): Run {
  return (target) => {
    keepOpen(target, (socket) => {
      onConnect(socket, target);
    });
  };
}

/** Opens connections and resets each as soon as it is open. */
export const resetting: Run = ({ host, port, connections }) => {
  const open = () => {
    const socket = connect({ host, port });
    socket
      .once('connect', () => socket.resetAndDestroy())
      .on('error', () => undefined)
      .once('close', () => setImmediate(open));
  };
  for (let count = 0; count < connections; count += 1) {
    open();
  }
};

/** Writes requests on each connection, but does not read the responses. */
export function unread(requests: string): Run {
  return connecting((socket, { key }) => {
    socket.pause().write(requests.replaceAll(KEY_PLACE, key));
  });
}

/** Writes requests on each connection as fast as they are answered. */
export function pipelining(requests: () => string): Run {
  return connecting((socket, { key }) => {
    const write = () => {
      if (socket.write(requests().replaceAll(KEY_PLACE, key))) setImmediate(write);
    };
    socket.resume().on('drain', write);
    write();
  });
}

/** Writes the beginning of a request on each connection, and then a piece each second. */
export function dripping(beginning: string, piece: string): Run {
  return connecting((socket, { key }) => {
    socket.resume().write(beginning.replaceAll(KEY_PLACE, key));
    const drip = setInterval(() => socket.write(piece), 1000);
    socket.once('close', () => {
      clearInterval(drip);
    });
  });
}

/** Writes a request on each connection, and reads its response. */
export function sending(bytes: string): Run {
  return connecting((socket, { key }) => {
    socket.resume().write(bytes.replaceAll(KEY_PLACE, key));
  });
}

/** Repeatedly writes a request on all connections at once. */
export function bursts(milliseconds: number, next: (burst: number) => string): Run {
  return (target) => {
    const sockets = keepOpen(target, (socket) => socket.resume());
    let burst = 0;
    setInterval(() => {
      burst += 1;
      for (const socket of sockets) {
        socket.write(next(burst).replaceAll(KEY_PLACE, target.key));
      }
    }, milliseconds);
  };
}

export interface Call {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends one of these calls on each connection whenever the previous call has been answered. */
export function turns(...calls: readonly (() => Call)[]): Run {
  return ({ host, port, key, connections }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const send = () => {
      const { method, path, headers, body = '' } = calls[random(calls.length)]?.() ?? { path: '/' };
      const type = body === '' ? {} : { 'Content-Type': 'application/json' };
      const options = {
        agent,
        host,
        port,
        method: method ?? (body === '' ? 'GET' : 'POST'),
        path,
        headers: { Authorization: `Bearer ${key}`, ...type, ...headers },
      };
      request(options, (response) => {
        response.resume().once('close', send);
      })
        .once('error', () => setTimeout(send, PAUSE))
        .end(body);
    };
    for (let count = 0; count < connections; count += 1) {
      send();
    }
  };
}

export const BEARER = `Authorization: Bearer ${KEY_PLACE}`;

/** The head of a request. */
export function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: store', ...headers, '', ''].join('\r\n');
}

/** A random number that is unlikely to be repeated. */
export function random(below = 1e9): number {
  return Math.floor(Math.random() * below);
}

export function many(count: number, item: (index: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(separator);
}
