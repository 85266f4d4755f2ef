import { outsideRequest } from '@gateway/log/log';
import { createIdleEvictingMap } from './idle-evicting-map.ts';

/** Work after which the event loop's other tasks run: responses of the database, new requests. */
const SLICE_MS = 5;

/**
 * The same while very many wait. Each turn of the event loop accepts one connection, so short slices let in clients that
 * aren't connected yet; longer ones make better batches.
 */
const CROWDED_SLICE_MS = 1;
const CROWD = 100;

/**
 * Between two slices the event loop turns without work until two turns bring nothing new, so that the next client is
 * chosen from all: one turn accepts a connection, another reads its request.
 */
const MAX_IDLE_TURNS = 50;

/**
 * Many times what the most expensive work takes. Longer work was delayed by the machine or a garbage collection, for
 * which its client shouldn't pay.
 */
const MAX_CHARGE_MS = 50;

const settled = Promise.resolve();

export interface FairQueue {
  /** Runs work in its client's turn, which is now if nobody waits. */
  readonly run: (client: string, work: (waitedMs: number) => void) => void;
  /** Resolves in the client's turn, with the milliseconds waited; 0, without a promise, if that is now. */
  readonly turn: (client: string) => Promise<number> | 0;
  /** The number of the current turn; 0 if there is none. */
  readonly current: () => number;
  /** Charges a client for work done outside its turns. */
  readonly charge: (client: string, milliseconds: number) => void;
  /** How many pieces of work wait. */
  readonly waiting: () => Iterable<readonly [client: string, count: number]>;
}

interface Client {
  readonly name: string;
  /** Virtual time: milliseconds used, but never less than others had when it came back. */
  used: number;
  readonly waiting: { readonly since: number; readonly work: (waitedMs: number) => void }[];
}

export interface FairQueueOptions {
  /** Called at the turn of work that had to wait. */
  readonly onWaited?: (client: string, milliseconds: number) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/**
 * Start-time fair queueing (https://doi.org/10.1109/90.649569) of the process's time: of the clients that wait, the one
 * that has used least goes next. A piece of work uses the time until its microtasks have run, when it waits for I/O or is
 * done.
 *
 * A client that comes back starts with what the one served last has used: it neither saves up idle time, nor pays for
 * time that nobody else wanted.
 */
export function createFairQueue({
  onWaited,
  now = () => performance.now(),
}: FairQueueOptions = {}): FairQueue {
  /** Clients with waiting work. */
  const active = new Set<Client>();
  let waitingCount = 0;
  let virtualTime = 0;
  let running: Client | undefined;
  let startedAt = 0;
  let turns = 0;
  let idleTurns = 0;
  let quietTurns = 0;
  let sliceLeft = SLICE_MS;

  const clientNamed = createIdleEvictingMap<Client>(
    (name) => ({ name, used: virtualTime, waiting: [] }),
    (client) => !active.has(client),
  );

  function start(client: Client): void {
    client.used = Math.max(client.used, virtualTime);
    virtualTime = client.used;
    running = client;
    turns += 1;
    startedAt = now();
    // Half the cost of queueMicrotask.
    void settled.then(afterMicrotasks);
  }

  /** A tick runs once there are no more microtasks. */
  function afterMicrotasks(): void {
    process.nextTick(finish);
  }

  function finish(): void {
    const took = now() - startedAt;
    if (running !== undefined) {
      running.used += Math.min(took, MAX_CHARGE_MS);
      running = undefined;
    }
    sliceLeft -= took;
    if (sliceLeft <= 0) {
      outsideRequest(setImmediate, newSlice);
    } else if (waitingCount > 0) {
      // This is still the context of the last turn's request.
      outsideRequest(startNext);
    }
  }

  function newSlice(): void {
    idleTurns += 1;
    quietTurns += 1;
    if (quietTurns < 2 && idleTurns < MAX_IDLE_TURNS) {
      setImmediate(newSlice);
      return;
    }
    idleTurns = 0;
    quietTurns = 0;
    sliceLeft = waitingCount > CROWD ? CROWDED_SLICE_MS : SLICE_MS;
    startNext();
  }

  function startNext(): void {
    const client = leastUsed();
    const next = client?.waiting.shift();
    if (client === undefined || next === undefined) {
      return;
    }
    waitingCount -= 1;
    if (client.waiting.length === 0) {
      active.delete(client);
    }
    start(client);
    const waited = startedAt - next.since;
    onWaited?.(client.name, waited);
    next.work(waited);
  }

  function leastUsed(): Client | undefined {
    let least: Client | undefined;
    for (const client of active) {
      if (least === undefined || client.used < least.used) {
        least = client;
      }
    }
    return least;
  }

  const isFree = (): boolean => running === undefined && sliceLeft > 0;

  function wait(name: string, work: (waitedMs: number) => void): void {
    const client = clientNamed(name);
    client.used = active.has(client) ? client.used : Math.max(client.used, virtualTime);
    client.waiting.push({ since: now(), work });
    waitingCount += 1;
    quietTurns = 0;
    active.add(client);
  }

  return {
    run: (name, work) => {
      if (isFree()) {
        start(clientNamed(name));
        work(0);
      } else {
        wait(name, work);
      }
    },
    turn: (name) => {
      if (isFree()) {
        start(clientNamed(name));
        return 0;
      }
      return new Promise((resolve) => {
        wait(name, resolve);
      });
    },
    current: () => (running === undefined ? 0 : turns),
    charge: (name, milliseconds) => {
      const client = clientNamed(name);
      client.used = Math.max(client.used, virtualTime) + milliseconds;
    },
    waiting: () => Array.from(active, ({ name, waiting }) => [name, waiting.length] as const),
  };
}
