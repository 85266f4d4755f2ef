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
 * Stands between a service and a database that listens on a Unix socket, which the URL names as `host`, until the tests of the
 * file are over.
 *
 * @param bridge forwards what each side of a new connection sends; that one has closed it tells the other itself
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
      // The close, which follows, is told to the other side.
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
    /** The database's URL by way of this proxy. */
    url: url.href,
    /** Cuts all connections that there are. */
    cutAll,
    /** Has new connections lead to another PostgreSQL. */
    switchTo: (otherUrl: string): void => {
      target = new URL(otherUrl);
    },
    [Symbol.asyncDispose]: close,
  };
}

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

/** What the database sends last after a connection was made and after each statement: ReadyForQuery. */
const READY_LENGTH = 6;
const READY_TYPE = 'Z'.charCodeAt(0);

const newGate = (holdsConnecting: boolean) => ({
  holdsConnecting,
  opened: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
});

/** A way to a database, by default a new one, on which the test decides when its answers arrive. */
export async function startDatabaseProxy(databaseUrl?: string) {
  const open = newGate(false);
  open.opened.resolve();
  let gate = open;

  const pass = async (isConnected: boolean): Promise<void> => {
    if (!isConnected && !gate.holdsConnecting) {
      // A statement that waits for a connection has seen nothing of the database yet.
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
    /** Lets go what is held, and holds what the database answers from now on. */
    hold: () => {
      replaceGate(newGate(false));
    },
    /** The same, and also what it answers while a connection is being made. */
    holdAll: () => {
      replaceGate(newGate(true));
    },
    /** Lets go what is held, and whatever follows. */
    letGo: () => {
      replaceGate(open);
    },
    /** Resolves once an answer is held: the database was done with a statement then. */
    holding: () => gate.reached.promise,
  };
}

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
function statementOf({ type, bytes }: Message): string | undefined {
  if (type !== 'B') {
    return undefined;
  }
  const name = bytes.indexOf(0, 1 + LENGTH_BYTES) + 1;
  return bytes.toString('utf8', name, bytes.indexOf(0, name));
}

/** How much of an execution still arrives: bytes; what is left out arrives whole. */
export interface Cut {
  readonly request?: number;
  /** The statement has been executed then. */
  readonly answer?: number;
}

/** The lengths of the messages of an execution, in their order: bytes. */
interface Execution {
  /** Of the prepared statement. */
  readonly statement: string;
  /** Whether its text was sent, too. */
  readonly isFirst: boolean;
  readonly request: readonly number[];
  readonly answer: readonly number[];
}

type ChooseCut = (execution: Pick<Execution, 'statement' | 'isFirst'>) => Cut;

/** What is sent for one execution; it ends with Sync, and its answer with ReadyForQuery. */
const OF_AN_EXECUTION = 'PBDECS';

/**
 * A way to a database that breaks where the test wants it. What is sent for an execution is forwarded when it is whole, and so is
 * its answer: what arrives is as many bytes as the test wants, however they are packed.
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
    /** Those so far that were not cut. */
    executions,
    /** Asks from now on for each execution, when all of it was sent, how it is cut. */
    cutBy: (next: ChooseCut): void => {
      choose = next;
    },
  };
}

/** Sends so many bytes of the messages, and if that is not all, nothing ever again; tells whether it was all. */
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

/** Of a server that is "localhost", and its own authority. */
export const CERTIFICATE = join(import.meta.dirname, 'tls', 'certificate.pem');

/** Speaks TLS for a database until the tests of the file are over; resolves to its port on 127.0.0.1. */
export async function startTlsProxy(databaseUrl: string): Promise<number> {
  const secureContext = createSecureContext({
    cert: readFileSync(CERTIFICATE),
    key: readFileSync(join(import.meta.dirname, 'tls', 'key.pem')),
  });
  const server = await startProxyServer(databaseUrl, (client, database) => {
    // The first packet asks whether there is TLS: https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL.
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
