import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a database on which the test decides when its answers arrive. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The database's URL by way of this proxy. */
  readonly url: string;
  /** Lets go what is held, and holds what the database answers from now on. */
  readonly hold: () => void;
  /** Lets go what is held, and whatever follows. */
  readonly letGo: () => void;
  /** Resolves once an answer is held: the database was done with a statement then. */
  readonly holding: () => Promise<void>;
}

/** What the database sends last after a connection was made and after each statement: ReadyForQuery. */
const READY_LENGTH = 6;
const READY_TYPE = 'Z'.charCodeAt(0);

const newGate = () => ({
  opened: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
});

/** Stands between a service and a database that listens on a Unix socket, which the URL names as `host`. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const path = `${target.searchParams.get('host')}/.s.PGSQL.${target.port}`;
  const sockets = new Set<Socket>();
  const open = newGate();
  open.opened.resolve();
  let gate = open;

  const pass = async (): Promise<void> => {
    gate.reached.resolve();
    await gate.opened.promise;
  };
  const replaceGate = (next: typeof gate): void => {
    const last = gate;
    gate = next;
    last.opened.resolve();
  };

  const server = createServer((client) => {
    const database = connect(path);
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
    client.pipe(database);
    forwardAnswers(database, client, pass);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = typeof address === 'object' ? String(address?.port) : '';

  return {
    url: url.href,
    hold: () => {
      replaceGate(newGate());
    },
    letGo: () => {
      replaceGate(open);
    },
    holding: () => gate.reached.promise,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}

/** The making of a connection passes: a statement that waits for one has seen nothing of the database yet. */
function forwardAnswers(database: Socket, client: Socket, pass: () => Promise<void>): void {
  let connected = false;
  const forward = async (answer: Buffer): Promise<void> => {
    database.pause();
    if (connected) {
      await pass();
    }
    connected ||= answer.at(-READY_LENGTH) === READY_TYPE;
    client.write(answer);
    database.resume();
  };
  database.on('data', (answer: Buffer) => void forward(answer));
}
