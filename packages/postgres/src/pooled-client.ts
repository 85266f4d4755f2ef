import './pg-internals.ts';
import { Client, type ClientConfig, type Connection } from 'pg';
import type { BackendReaper } from './backend-reaper.ts';
import { type Refused, type UnsuitableServerError, watchServer } from './servers-in-turn.ts';

interface Notice {
  /** The PostgreSQL or Citus source file that issued the notice. */
  readonly file?: string | undefined;
  readonly message?: string | undefined;
}

/** Describes why a successful commit may be lost or not yet visible; returns undefined for unrelated notices. */
function commitDoubt({ file, message = '' }: Notice): string | undefined {
  if (file === 'remote_transaction.c') {
    return 'a Citus worker has not yet committed a prepared transaction';
  }
  // The wait for a standby was cancelled, either on this server or on a Citus worker, whose warnings this server forwards.
  const isOfStandby =
    file === 'syncrep.c' ||
    (file === 'worker_log_messages.c' && message.includes('synchronous replication'));
  return isOfStandby ? 'the commit was not confirmed by a standby' : undefined;
}

/**
 * Asks the server to cancel a session's statement, like libpq's PQcancel: on a separate connection, which needs neither a login
 * nor a connection slot (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS). Whether
 * the statement was cancelled is only reported in the session.
 *
 * @param config the session's configuration
 */
function cancelStatement(
  { processID, secretKey }: Pick<Client, 'processID' | 'secretKey'>,
  config: ClientConfig,
): void {
  if (processID === null || secretKey === null) {
    return;
  }
  const messenger = new Client(config);
  const { connection } = messenger;
  connection.startup = () => {
    connection.cancel(processID, secretKey);
  };
  messenger.on('error', () => undefined);
  // The server closes the connection after it has processed the request, which pg treats as a failure to connect.
  messenger.connect(() => undefined);
  messenger.unref();
}

type ConnectionSlots = ReturnType<typeof createSlots>;

/** Limits a pool's backends: each occupies a slot until the server has ended it. */
export function createSlots(max: number) {
  let unused = max;
  const waiting = new Set<() => void>();
  const assign = (): void => {
    for (const taken of waiting) {
      if (unused === 0) return;
      unused -= 1;
      waiting.delete(taken);
      taken();
    }
  };
  return {
    /**
     * Calls back when it has acquired a slot, immediately if one is free.
     *
     * @returns a function that stops waiting
     */
    take: (taken: () => void) => {
      waiting.add(taken);
      assign();
      return () => waiting.delete(taken);
    },
    free: (): void => {
      unused += 1;
      assign();
    },
  };
}

/** Shared by the clients of a pool. */
interface Bounds {
  readonly slots: ConnectionSlots;
  readonly reaper: BackendReaper;
  /** The parameters whose values make a client reject its server. */
  readonly refused: readonly Refused[];
  readonly rename?: ((sql: string) => string) | undefined;
}

/**
 * A client that occupies a slot until its backend is gone. pg's pool drops a client whose statement times out, although its
 * backend may still be waiting for a commit. Without slots, such backends would accumulate without limit.
 */
export class PooledClient extends Client {
  /** A copy, because the pool changes its own config to connect to other servers. */
  readonly #config: ClientConfig;
  readonly #bounds: Bounds;
  #isBackendGone = false;
  #isGivenUp = false;
  #begunBy: number | undefined;
  #unsuitable: UnsuitableServerError | undefined;

  constructor(config: ClientConfig, bounds: Bounds) {
    super(config);
    // The pool makes the password non-enumerable, so copies lack it.
    this.#config = { ...config, password: config.password };
    this.#bounds = bounds;
    const { connection } = this;
    const open = connection.connect.bind(connection);
    connection.connect = (port, host) => {
      this.#takeSlot(() => {
        open(port, host);
      });
    };
    if (bounds.rename !== undefined) {
      renameIn(connection, bounds.rename);
    }
    this.once('connect', () => {
      this.#begunBy = performance.now();
    });
    watchServer(this, bounds.refused, (error) => {
      this.#unsuitable = error;
      if (this.#begunBy !== undefined) {
        connection.emit('error', error);
      }
    });
    this.on('notice', (notice) => {
      const doubt = commitDoubt(notice);
      if (doubt !== undefined && !this.#isGivenUp) {
        connection.emit('error', new Error(doubt));
      }
    });
  }

  /** @throws UnsuitableServerError if its server must not be used */
  expectSuitable(): void {
    if (this.#unsuitable !== undefined) {
      throw this.#unsuitable;
    }
  }

  /** Cancels the statement in progress, if any, then ends the session. Calls back when the connection is closed. */
  override async end(callback?: (...errors: Error[]) => void): Promise<void> {
    // Otherwise, the pool's listener would report a connection that is lost while it is being closed, for example when the server
    // stops.
    this.removeAllListeners('error').on('error', () => undefined);
    // oxlint-disable-next-line no-underscore-dangle -- pg's own name
    if (this._activeQuery == null) {
      await super.end();
    } else {
      const { promise: ended, resolve } = Promise.withResolvers<undefined>();
      this.once('end', resolve);
      this.#giveUp();
      await ended;
    }
    callback?.();
  }

  #takeSlot(open: () => void): void {
    const { connection } = this;
    const { stream } = connection;
    const abandon = (): void => {
      stopWaiting();
      connection.emit('end');
    };
    // The pool destroys the stream of a client that is not connected in time.
    stream.once('close', abandon);
    const stopWaiting = this.#bounds.slots.take(() => {
      stream.off('close', abandon);
      this.#freeSlotAtEnd();
      open();
    });
  }

  #freeSlotAtEnd(): void {
    const { slots } = this.#bounds;
    const { stream } = this.connection;
    let isOpened = false;
    stream.once('connect', () => (isOpened = true));
    this.connection.once('end', () => {
      const { readableEnded, errored } = this.connection.stream;
      // Other errors come from the network, so the backend may still be running.
      const isClosedByServer =
        readableEnded || (errored !== null && 'code' in errored && errored.code === 'ECONNRESET');
      if (!isOpened || isClosedByServer || this.#isBackendGone) {
        slots.free();
      } else {
        this.#reap(slots.free);
      }
    });
  }

  /** Cancels the statement and has the reaper end the backend. The connection stays open until the backend has ended. */
  #giveUp(): void {
    if (this.#isGivenUp) {
      return;
    }
    this.#isGivenUp = true;
    this.unref();
    cancelStatement(this, this.#config);
    const stopReaping = this.#reap(() => {
      this.#isBackendGone = true;
      this.connection.stream.destroy();
    });
    this.once('drain', () => void super.end());
    this.once('end', stopReaping);
  }

  #reap(onGone: () => void): () => void {
    const { processID } = this;
    const begunBy = this.#begunBy ?? performance.now();
    return this.#bounds.reaper.reap({ processID, begunBy, config: this.#config, onGone });
  }
}

/**
 * Rewrites the SQL of a connection's statements. pg sends every statement with `parse` or `query`, and parses a prepared
 * statement once per connection.
 */
function renameIn(connection: Connection, rename: (sql: string) => string): void {
  const parse = connection.parse.bind(connection);
  const query = connection.query.bind(connection);
  connection.parse = (statement, more) => {
    parse({ ...statement, text: rename(statement.text) }, more);
  };
  connection.query = (text) => {
    query(rename(text));
  };
}
