import { outsideRequest } from '@store-gateway/ops';
import { ClientShares, type Client } from './client-shares.ts';

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
 * Longer than what nearly all work takes. Where it took longer, the machine may have stood still, for which its client
 * shouldn't pay: so it is charged the processor time of its thread, which takes a system call to read.
 */
const LONG_WORK_MS = 20;

const settled = Promise.resolve();

/** A queue of one process, in which waiting clients get equal shares of its time. */
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

interface Work {
  readonly since: number;
  readonly run: (waitedMs: number) => void;
}

/** How a queue measures time and tells clients apart; every option has a default. */
interface FairQueueOptions {
  /** Called at the turn of work that had to wait. */
  readonly onWaited?: (client: string, milliseconds: number) => void;
  /** The class that a client shares time in with others; undefined for one with a share of its own. */
  readonly classOf?: (client: string) => string | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Milliseconds that this thread has had a processor. */
  readonly processorTime?: () => number;
}

/**
 * Fair queueing of the process's time: of the clients that wait, the one that has used least goes next (client-shares.ts),
 * first between classes of clients and then within them. A piece of work uses the time until its microtasks have run, when
 * it waits for I/O or is done.
 *
 * A client that comes back, or is new, starts with what others have used: it neither saves up idle time, nor pays for time
 * that nobody else wanted, nor waits for longer than all who wait take to get as much as it had.
 */
export function createFairQueue({
  onWaited,
  classOf = () => undefined,
  now = () => performance.now(),
  processorTime = threadTime,
}: FairQueueOptions = {}): FairQueue {
  const shares = new ClientShares<Work>(classOf);
  let waitingCount = 0;
  let running: Client<Work> | undefined;
  let startedAt = 0;
  let turns = 0;
  let idleTurns = 0;
  let quietTurns = 0;
  let sliceLeft = SLICE_MS;
  /** At the beginning of this slice, or of the one before. */
  let processorTimeBefore = processorTime();

  function start(client: Client<Work>): void {
    shares.begin(client);
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
      shares.charge(running, took < LONG_WORK_MS ? took : Math.min(took, processorTimeOfSlice()));
      running = undefined;
    }
    sliceLeft -= took;
    // The next turn is another client's.
    if (sliceLeft <= 0) {
      outsideRequest(setImmediate, newSlice);
    } else if (waitingCount > 0) {
      outsideRequest(startNext);
    }
  }

  /** An upper bound for what the current turn has used: turns of the slice before it, and I/O between them, are in it. */
  function processorTimeOfSlice(): number {
    return processorTime() - processorTimeBefore;
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
    processorTimeBefore = processorTime();
    sliceLeft = waitingCount > CROWD ? CROWDED_SLICE_MS : SLICE_MS;
    startNext();
  }

  function startNext(): void {
    const next = shares.next();
    if (next === undefined) {
      return;
    }
    const { client, work } = next;
    waitingCount -= 1;
    start(client);
    const waited = startedAt - work.since;
    onWaited?.(client.name, waited);
    work.run(waited);
  }

  const isFree = (): boolean => running === undefined && sliceLeft > 0;

  function wait(name: string, run: (waitedMs: number) => void): void {
    shares.wait(shares.clientNamed(name), { since: now(), run });
    waitingCount += 1;
    quietTurns = 0;
  }

  return {
    run: (name, work) => {
      if (isFree()) {
        start(shares.clientNamed(name));
        work(0);
      } else {
        wait(name, work);
      }
    },
    turn: (name) => {
      if (isFree()) {
        start(shares.clientNamed(name));
        return 0;
      }
      return new Promise((resolve) => {
        wait(name, resolve);
      });
    },
    current: () => (running === undefined ? 0 : turns),
    charge: (name, milliseconds) => {
      shares.charge(shares.clientNamed(name), milliseconds);
    },
    waiting: () => shares.waiting(),
  };
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
