import { onNobodysBehalf } from '@gateway/log/log';
import { createRemembered } from './evicting-map.ts';

/** Milliseconds of work after which what else the event loop has to do gets in: answers of the database, new requests. */
const SLICE_MS = 5;

/**
 * The same while very many wait. Each turn of the event loop accepts one connection, so that short ones let those in who
 * aren't connected yet; the longer ones make better use of what clients share (packages/batched-prisma).
 */
const CROWDED_SLICE_MS = 1;
const CROWD = 100;

/**
 * Between two slices, turns of the event loop without any work until nothing has come in two of them, so that who goes first
 * is chosen of all: a turn accepts one connection, and another one reads its request. So many of them at most.
 */
const MAX_IDLE_TURNS = 50;

/**
 * The most that a piece of work is charged, many times what the dearest takes. What takes longer was held up by the machine or
 * a garbage collection: charged in full, a client whose turn it hit would wait until the others have used as much.
 */
const MAX_CHARGE_MS = 50;

const settled = Promise.resolve();

export interface FairQueue {
  /**
   * Runs a piece of a client's work in its turn, which is at once if nobody waits.
   *
   * @param work is told the milliseconds that it has waited
   */
  readonly run: (client: string, work: (waitedMs: number) => void) => void;
  /** Resolves in the client's turn, with the milliseconds waited; 0, without a promise, if that is at once. */
  readonly turn: (client: string) => Promise<number> | 0;
  /** Names the turn under way, so that one can tell whether it is still the same; 0 if there is none. */
  readonly current: () => number;
  /** Charges a client for work that was done outside its turns. */
  readonly charge: (client: string, milliseconds: number) => void;
  /** How many pieces of work wait, by client. */
  readonly waiting: () => Iterable<readonly [client: string, count: number]>;
}

interface Client {
  readonly name: string;
  /** Virtual time (start-time fair queueing): milliseconds used, and never less than others had when it came back. */
  used: number;
  readonly waiting: { readonly since: number; readonly work: (waitedMs: number) => void }[];
}

export interface FairQueueOptions {
  /** Told of each piece of work that had to wait, when its turn comes. */
  readonly onWaited?: (client: string, milliseconds: number) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
}

/**
 * Shares the process's time between clients: of those who wait, the one that has used least of it goes first.
 * What a piece of work uses is measured until all its microtasks have run, that is until it waits for I/O or is over.
 *
 * Whoever comes back starts with as much as the one served last had (https://doi.org/10.1109/90.649569): so nobody saves
 * up time, and nobody is punished for what they used while nobody else wanted it.
 */
export function createFairQueue({
  onWaited,
  now = () => performance.now(),
}: FairQueueOptions = {}): FairQueue {
  /** Those with work that waits. */
  const active = new Set<Client>();
  let waitingInAll = 0;
  let virtualTime = 0;
  let running: Client | undefined;
  let startedAt = 0;
  let turns = 0;
  let idleTurns = 0;
  let quietTurns = 0;
  let sliceLeft = SLICE_MS;

  // Who waits for nothing may be forgotten, with what they have used.
  const clientNamed = createRemembered<Client>(
    (name) => ({ name, used: virtualTime, waiting: [] }),
    (client) => !active.has(client),
  );

  /** All that happens from now until the microtasks have run is the client's. */
  function start(client: Client): void {
    client.used = Math.max(client.used, virtualTime);
    virtualTime = client.used;
    running = client;
    turns += 1;
    startedAt = now();
    // It costs half of what queueMicrotask does.
    void settled.then(afterMicrotasks);
  }

  /** Ticks are run when there are no more microtasks. */
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
      onNobodysBehalf(setImmediate, newSlice);
    } else if (waitingInAll > 0) {
      // This is still the context of whoever had the turn.
      onNobodysBehalf(startNext);
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
    sliceLeft = waitingInAll > CROWD ? CROWDED_SLICE_MS : SLICE_MS;
    startNext();
  }

  function startNext(): void {
    const client = leastUsed();
    const next = client?.waiting.shift();
    if (client === undefined || next === undefined) {
      return;
    }
    waitingInAll -= 1;
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
    waitingInAll += 1;
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
