import { outsideRequest } from '@store-gateway/ops';
import { ClientShares, type Client } from './client-shares.ts';

/** Milliseconds of work after which the event loop's other tasks run: database responses and new requests. */
const SLICE_MS = 5;

/**
 * The slice while more than CROWD pieces of work wait. Each turn of the event loop accepts one connection, so short slices
 * admit clients that aren't connected yet; longer slices make better batches.
 */
const CROWDED_SLICE_MS = 1;
const CROWD = 100;

/**
 * Maximum turns of the event loop without work between two slices. They end when two turns have brought nothing new, so that
 * the next client is chosen from all: one turn accepts a connection, and another reads its request.
 */
const MAX_IDLE_TURNS = 50;

/**
 * Longer than nearly all work takes. If work takes longer, the machine may have stalled, which its client shouldn't pay for.
 * The client is then charged the thread's CPU time, which takes a system call to read.
 */
const LONG_WORK_MS = 20;

const settled = Promise.resolve();

/** A process's queue, in which waiting clients get equal shares of its time. */
export interface FairQueue {
  /** Runs work in its client's turn, which is now if the queue is free. */
  readonly run: (client: string, work: (waitedMs: number) => void) => void;
  /** Resolves in the client's turn, with the milliseconds waited. Returns 0, without a promise, if the turn is now. */
  readonly turn: (client: string) => Promise<number> | 0;
  /** The number of the current turn; 0 if there is none. */
  readonly current: () => number;
  /** Charges a client for work done outside its turns. */
  readonly charge: (client: string, milliseconds: number) => void;
  /** The number of pieces of work that wait, by client. */
  readonly waiting: () => Iterable<readonly [client: string, count: number]>;
}

interface Work {
  readonly since: number;
  readonly run: (waitedMs: number) => void;
}

/** How a queue measures time, and which clients share it; every option has a default. */
interface FairQueueOptions {
  /** Called when work that had to wait gets its turn. */
  readonly onWaited?: (client: string, milliseconds: number) => void;
  /** The class in which a client shares time with others; undefined for a client with its own share. */
  readonly classOf?: (client: string) => string | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Milliseconds of CPU time that this thread has used. */
  readonly processorTime?: () => number;
}

/**
 * Creates a fair queue for the process's time: the waiting client that has used the least goes next (client-shares.ts), first
 * between classes of clients and then within each class. A piece of work uses time until its microtasks have run: by then it
 * waits for I/O, or is done.
 *
 * A new or returning client starts with the time that others have used. So it doesn't save up idle time, doesn't pay for time
 * that no other client wanted, and waits no longer than the waiting clients take to get as much as it had.
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
  /** The CPU time at the beginning of this slice, or of the previous one. */
  let processorTimeBefore = processorTime();

  function start(client: Client<Work>): void {
    shares.begin(client);
    running = client;
    turns += 1;
    startedAt = now();
    // Costs half as much as queueMicrotask.
    void settled.then(afterMicrotasks);
  }

  /** Schedules `finish` for when there are no more microtasks: a nextTick callback runs only then. */
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
    // Outside this request's context, because the next turn is another client's.
    if (sliceLeft <= 0) {
      outsideRequest(setImmediate, newSlice);
    } else if (waitingCount > 0) {
      outsideRequest(startNext);
    }
  }

  /**
   * Returns an upper bound for the CPU time of the current turn: it includes the slice's earlier turns, and I/O between them.
   */
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
