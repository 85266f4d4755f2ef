import { Client, type ClientConfig } from 'pg';
import type { BackendReaper } from './backend-reaper.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import './pg-internals.ts';

/** What the clients of a pool share. */
interface Bounds {
  readonly slots: ConnectionSlots;
  readonly reaper: BackendReaper;
}

/**
 * A client that takes up a slot until its backend is gone, whoever waits for a connection. pg forgets a client together
 * with its statement: the backend of one that waits for a commit would go on, and another be made, without end.
 */
export class PooledClient extends Client {
  readonly #config: ClientConfig | undefined;
  readonly #bounds: Bounds;
  #isBackendGone = false;
  #isGivenUp = false;
  #begunBy: number | undefined;

  constructor(config: ClientConfig | undefined, bounds: Bounds) {
    super(config);
    this.#config = config;
    this.#bounds = bounds;
    const { connection } = this;
    const open = connection.connect.bind(connection);
    connection.connect = (port, host) => {
      this.#openInSlot(() => {
        open(port, host);
      });
    };
    this.once('connect', () => {
      this.#begunBy = performance.now();
    });
    this.on('notice', ({ file }) => {
      // Somebody has cancelled the wait for a standby: the server calls it a success, but what it wrote may be lost.
      if (file === 'syncrep.c' && !this.#isGivenUp) {
        connection.emit('error', new Error('the commit was not confirmed by a standby'));
      }
    });
  }

  /** Ends the session and, if it is in a statement, cancels that first. Calls back once the connection is closed. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    if (callback === undefined) {
      return new Promise((resolve) => {
        this.end(() => {
          resolve();
        });
      });
    }
    // The pool's listener would report a connection that is lost meanwhile, as all are when the server stops, too.
    this.removeAllListeners('error').on('error', () => undefined);
    // oxlint-disable-next-line no-underscore-dangle -- pg's own name
    if (this._activeQuery == null) {
      super.end(callback);
    } else {
      this.once('end', callback);
      this.#giveUp();
    }
    return undefined;
  }

  #openInSlot(open: () => void): void {
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
    const { connection } = this;
    let isOpened = false;
    connection.stream.once('connect', () => (isOpened = true));
    connection.once('end', () => {
      const { readableEnded, errored } = connection.stream;
      // Other errors are the network's, which tells nothing of the server.
      const isClosedByServer =
        readableEnded || (errored !== null && 'code' in errored && errored.code === 'ECONNRESET');
      if (!isOpened || isClosedByServer || this.#isBackendGone) {
        slots.free();
      } else {
        this.#reap(slots.free);
      }
    });
  }

  /** The connection stays open meanwhile: that the server closes it is how one knows that the backend has ended. */
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
