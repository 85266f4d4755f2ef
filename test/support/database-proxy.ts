import type { Socket } from 'node:net';
import { startProxyServer } from './proxy-server.ts';

/** A way to a database on which the test decides when its answers arrive. */
export interface DatabaseProxy extends AsyncDisposable {
  /** The database's URL by way of this proxy. */
  readonly url: string;
  /** Lets go what is held, and holds what the database answers from now on. */
  readonly hold: () => void;
  /** The same, and also what it answers while a connection is being made. */
  readonly holdAll: () => void;
  /** Lets go what is held, and whatever follows. */
  readonly letGo: () => void;
  /** Resolves once an answer is held: the database was done with a statement then. */
  readonly holding: () => Promise<void>;
  /** Cuts all connections that there are. */
  readonly cutAll: () => void;
}

/** What the database sends last after a connection was made and after each statement: ReadyForQuery. */
const READY_LENGTH = 6;
const READY_TYPE = 'Z'.charCodeAt(0);

const newGate = ({ holdsConnecting }: { readonly holdsConnecting: boolean }) => ({
  holdsConnecting,
  opened: Promise.withResolvers<void>(),
  reached: Promise.withResolvers<void>(),
});

/** Stands between a service and a database that listens on a Unix socket, which the URL names as `host`. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const open = newGate({ holdsConnecting: false });
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

  const server = await startProxyServer(databaseUrl, (client, database) => {
    client.pipe(database);
    forwardAnswers(database, client, pass);
  });
  return {
    url: server.url,
    hold: () => {
      replaceGate(newGate({ holdsConnecting: false }));
    },
    holdAll: () => {
      replaceGate(newGate({ holdsConnecting: true }));
    },
    letGo: () => {
      replaceGate(open);
    },
    holding: () => gate.reached.promise,
    cutAll: server.cutAll,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Forwards each piece of what the database answers once it may pass. */
function forwardAnswers(
  database: Socket,
  client: Socket,
  pass: (isConnected: boolean) => Promise<void>,
): void {
  let connected = false;
  const forward = async (answer: Buffer): Promise<void> => {
    database.pause();
    await pass(connected);
    connected ||= answer.at(-READY_LENGTH) === READY_TYPE;
    client.write(answer);
    database.resume();
  };
  database.on('data', (answer: Buffer) => void forward(answer));
}
