import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onFileFinished } from './clean-up.ts';
import { portOf } from './listen-locally.ts';
import { newDatabase } from '../support/new-database.ts';

export type ProxyServer = Awaited<ReturnType<typeof startProxyServer>>;

/**
 * Starts a proxy between a service and a database that listens on a Unix socket, which the URL names as `host`, until
 * the file's tests are over.
 *
 * @param bridge forwards data between the two sides of a new connection; closing is already forwarded
 */
export async function startProxyServer(
  databaseUrl: string,
  bridge: (client: Socket, database: Socket) => void,
) {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const cutAll = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };

  const server = createServer((client) => {
    const database = connect(`${target.searchParams.get('host')}/.s.PGSQL.${target.port}`);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      // The close event follows, and is forwarded to the other side.
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    bridge(client, database);
  });
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(await portOf(server));
  const close = async () => {
    cutAll();
    if (server.listening) {
      await once(server.close(), 'close');
    }
  };
  onFileFinished(close);
  return {
    /** The database's URL through this proxy. */
    url: url.href,
    /** Destroys all open connections. */
    cutAll,
    /** Directs new connections to a different PostgreSQL. */
    switchTo: (otherUrl: string): void => {
      target = new URL(otherUrl);
    },
    [Symbol.asyncDispose]: close,
  };
}

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

/** The database ends its response to a connection and to each statement with ReadyForQuery. */
const READY_LENGTH = 6;
const READY_TYPE = 'Z'.charCodeAt(0);

const newGate = (holdsConnecting: boolean) => ({
  holdsConnecting,
  opened: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
});

/** Starts a proxy to a database, by default a new one. The test decides when the database's answers are forwarded. */
export async function startDatabaseProxy(databaseUrl?: string) {
  const open = newGate(false);
  open.opened.resolve();
  let gate = open;

  const pass = async (isConnected: boolean): Promise<void> => {
    if (!isConnected && !gate.holdsConnecting) {
      // Forward this: a statement that waits for a connection has not reached the database yet.
      return;
    }
    gate.reached.resolve();
    await gate.opened.promise;
  };
  const replaceGate = (next: typeof gate): void => {
    const last = gate;
    gate = next;
    last.opened.resolve();
  };

  const target = databaseUrl ?? (await newDatabase());
  const server = await startProxyServer(target, (client, database) => {
    let connected = false;
    const forward = async (answer: Buffer): Promise<void> => {
      database.pause();
      await pass(connected);
      connected ||= answer.at(-READY_LENGTH) === READY_TYPE;
      client.write(answer);
      database.resume();
    };
    client.pipe(database);
    database.on('data', (answer: Buffer) => void forward(answer));
  });
  return {
    ...server,
    /** Releases held answers, and holds the database's answers from now on. */
    hold: () => {
      replaceGate(newGate(false));
    },
    /** Like `hold`, but also holds answers while a connection is being established. */
    holdAll: () => {
      replaceGate(newGate(true));
    },
    /** Releases held answers, and forwards all later ones. */
    letGo: () => {
      replaceGate(open);
    },
    /** Resolves when an answer is held, which means that the database has executed a statement. */
    holding: () => gate.reached.promise,
  };
}

/** A message in PostgreSQL's protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
export interface Message {
  /** A letter, or '' for a client's first message, which has no type. */
  readonly type: string;
  /** The whole message. */
  readonly bytes: Buffer;
}

const LENGTH_BYTES = 4;

/** Returns a function that accepts data from one side in arbitrary pieces, and passes on each message when it is complete. */
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

/** Returns the name of the prepared statement that a Bind message executes, or undefined for other messages. */
function statementOf({ type, bytes }: Message): string | undefined {
  if (type !== 'B') {
    return undefined;
  }
  const name = bytes.indexOf(0, 1 + LENGTH_BYTES) + 1;
  return bytes.toString('utf8', name, bytes.indexOf(0, name));
}

/** How many bytes of an execution are still forwarded; a part that is left out is forwarded completely. */
export interface Cut {
  readonly request?: number;
  /** If this is set, the statement is executed before the connection is cut. */
  readonly answer?: number;
}

/** An execution's messages by their lengths in bytes, in order. */
interface Execution {
  /** The name of the prepared statement. */
  readonly statement: string;
  /** Whether the statement's text was sent, too. */
  readonly isFirst: boolean;
  readonly request: readonly number[];
  readonly answer: readonly number[];
}

type ChooseCut = (execution: Pick<Execution, 'statement' | 'isFirst'>) => Cut;

/** The types of messages that a client sends for one execution. It ends with Sync, and the answer ends with ReadyForQuery. */
const OF_AN_EXECUTION = 'PBDECS';

/**
 * Starts a proxy that breaks connections at chosen points. It forwards an execution's request and answer when they are
 * complete, so that exactly the chosen number of bytes arrives, however they were split.
 */
export async function startCuttingProxy(databaseUrl: string) {
  const executions: Execution[] = [];
  let choose: ChooseCut | undefined;

  const server = await startProxyServer(databaseUrl, (client, database) => {
    let request: Message[] = [];
    let answer: Message[] = [];
    let awaited: (Pick<Execution, 'statement' | 'isFirst'> & { readonly cut: Cut }) | undefined;

    const readRequest = createMessageReader('client', (message) => {
      if (message.type === '' || !OF_AN_EXECUTION.includes(message.type)) {
        database.write(message.bytes);
        return;
      }
      if (request.at(-1)?.type === 'S') {
        request = [];
      }
      request.push(message);
      if (message.type === 'S') {
        const statement = request.map(statementOf).find((name) => name !== undefined) ?? '';
        const isFirst = request[0]?.type === 'P';
        const cut = choose?.({ statement, isFirst }) ?? {};
        awaited = { statement, isFirst, cut };
        send(request, cut.request, { from: client, to: database });
      }
    });
    const readAnswer = createMessageReader('database', (message) => {
      if (awaited === undefined) {
        client.write(message.bytes);
        return;
      }
      answer.push(message);
      if (message.type === 'Z') {
        const { cut, ...execution } = awaited;
        awaited = undefined;
        if (send(answer, cut.answer, { from: database, to: client })) {
          executions.push({ ...execution, request: lengths(request), answer: lengths(answer) });
        }
        answer = [];
      }
    });
    client.on('data', readRequest);
    database.on('data', readAnswer);
  });
  return {
    ...server,
    /** The executions so far that were not cut. */
    executions,
    /** Sets the function that chooses the cut for each execution when it is completely received. */
    cutBy: (next: ChooseCut): void => {
      choose = next;
    },
  };
}

/** Forwards up to `count` bytes of the messages, and cuts the connection if that is not everything; returns whether it was. */
function send(
  messages: readonly Message[],
  count: number | undefined,
  { from, to }: { readonly from: Socket; readonly to: Socket },
): boolean {
  const whole = Buffer.concat(messages.map(({ bytes }) => bytes));
  if (count === undefined || count >= whole.length) {
    to.write(whole);
    return true;
  }
  to.end(whole.subarray(0, count));
  from.destroy();
  return false;
}

function lengths(messages: readonly Message[]): number[] {
  return messages.map(({ bytes }) => bytes.length);
}

/** The certificate of a server at "localhost"; it is its own authority. */
export const CERTIFICATE = join(import.meta.dirname, 'tls', 'certificate.pem');

/** Starts a TLS proxy for a database until the file's tests are over; returns its port on 127.0.0.1. */
export async function startTlsProxy(databaseUrl: string): Promise<number> {
  const secureContext = createSecureContext({
    cert: readFileSync(CERTIFICATE),
    key: readFileSync(join(import.meta.dirname, 'tls', 'key.pem')),
  });
  const server = await startProxyServer(databaseUrl, (client, database) => {
    // The first packet asks for TLS: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL.
    client.once('data', () => {
      client.write('S');
      const decrypted = new TLSSocket(client, { isServer: true, secureContext });
      decrypted.on('error', () => database.destroy());
      decrypted.once('close', () => database.destroy());
      decrypted.pipe(database).pipe(decrypted);
    });
  });
  return Number(new URL(server.url).port);
}
