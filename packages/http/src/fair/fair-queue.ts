import { outsideRequest } from '@store-gateway/ops';

const PREFIX = 'key:';

/** Returns the name of the client that holds an API key. */
export function clientOfKey(keyId: bigint | string): string {
  return `${PREFIX}${keyId}`;
}

/** Whether a client is identified by an API key, rather than by its address. */
export function holdsKey(client: string): boolean {
  return client.startsWith(PREFIX);
}

/** Returns the id of a client's key; undefined if the client is identified by its address. */
export function keyIdOf(client: string): string | undefined {
  return holdsKey(client) ? client.slice(PREFIX.length) : undefined;
}

/** Milliseconds of work after which the event loop runs other tasks, such as handling database responses and new requests. */
const SLICE_MS = 5;

/**
 * The length of a slice while more than CROWD pieces of work are waiting. Each turn of the event loop accepts one connection, so
 * short slices admit new clients sooner, while longer slices make better batches.
 */
const CROWDED_SLICE_MS = 1;
const CROWD = 100;

/**
 * Maximum number of event loop turns to leave idle between two slices. The next slice starts early after two turns without new
 * work, because one turn accepts a connection, and another reads its request. This way, the next client is chosen from all
 * waiting clients.
 */
const MAX_IDLE_TURNS = 50;

/**
 * Milliseconds that nearly no work exceeds. If work takes longer, the machine may have stalled, and the client is charged only
 * for the thread's CPU time. CPU time isn't used for all work, because reading it takes a system call.
 */
const LONG_WORK_MS = 20;

const settled = Promise.resolve();

/** A process's queue, in which waiting clients get equal shares of the process's time. */
export interface FairQueue {
  /** Runs work in its client's turn, or immediately if the queue is free. */
  readonly run: (client: string, work: (waitedMs: number) => void) => void;
  /**
   * Resolves in the client's turn, with the milliseconds waited. Returns 0, without a promise, if it is the client's turn now.
   */
  readonly turn: (client: string) => Promise<number> | 0;
  /** The number of the current turn; 0 if there is none. */
  readonly current: () => number;
  /** Charges a client for work done outside its turns. */
  readonly charge: (client: string, milliseconds: number) => void;
  /** Returns the number of waiting pieces of work for each client. */
  readonly waiting: () => Iterable<readonly [client: string, count: number]>;
}

interface Work {
  readonly since: number;
  readonly run: (waitedMs: number) => void;
}

/** How a queue measures time, and how clients share it. Every option has a default. */
interface FairQueueOptions {
  /** Called when work that had to wait gets its turn. */
  readonly onWaited?: (client: string, milliseconds: number) => void;
  /** Returns the class in which a client shares time with others; undefined for a client with its own share. */
  readonly classOf?: (client: string) => string | undefined;
  /** Returns a monotonic clock's time in milliseconds. */
  readonly now?: () => number;
  /** Returns the milliseconds of CPU time that this thread has used. */
  readonly processorTime?: () => number;
}

/**
 * Creates a fair queue for the process's time: the waiting client that has used the least time goes next (`ClientShares`), first
 * between classes of clients and then within each class. A piece of work uses time until its microtasks have run; by then it is
 * waiting for I/O, or done. A new or returning client starts with the time that others have used. So a client can't save up idle
 * time, isn't charged for time that no other client wanted, and waits no longer than the waiting clients take to catch up with
 * it.
 */
export function createFairQueue({
  onWaited,
  classOf = () => undefined,
  now = () => performance.now(),
  processorTime = threadTime,
}: FairQueueOptions = {}): FairQueue {
  const shares = new ClientShares(classOf);
  let waitingCount = 0;
  let running: Client | undefined;
  let startedAt = 0;
  let turns = 0;
  let idleTurns = 0;
  let quietTurns = 0;
  let sliceLeft = SLICE_MS;
  /** The CPU time at the beginning of this slice or of the previous one. */
  let processorTimeBefore = processorTime();

  function start(client: Client): void {
    shares.begin(client);
    running = client;
    turns += 1;
    startedAt = now();
    // This costs half as much as queueMicrotask.
    void settled.then(afterMicrotasks);
  }

  /** Schedules `finish` for when no microtasks are left, because nextTick callbacks run only then. */
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
    // Runs outside this request's context, because the next turn belongs to a different client.
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

interface Member {
  /**
   * The milliseconds of virtual time that the member has used. A returning member starts with no less than the others have used.
   */
  used: number;
  isWaiting: boolean;
}

/**
 * Shares time between members: the waiting member that has used the least time goes next (start-time fair queueing,
 * https://doi.org/10.1109/90.649569).
 *
 * Virtual time advances by each member's share of all work. If it only followed the members that are served, a steady stream of
 * new members would all start where the last one did, and a returning member, which has used more, would never be next.
 */
class VirtualTime<Of extends Member> {
  readonly #waiting = new Set<Of>();
  #now = 0;

  /** The virtual time that a new member starts with. */
  get now(): number {
    return this.#now;
  }

  get waiting(): ReadonlySet<Of> {
    return this.#waiting;
  }

  /** Marks a member as having waiting work, until it leaves. */
  enter(member: Of): void {
    this.#catchUp(member);
    member.isWaiting = true;
    this.#waiting.add(member);
  }

  leave(member: Of): void {
    member.isWaiting = false;
    this.#waiting.delete(member);
  }

  /** Returns the waiting member that has used the least time. */
  next(): Of | undefined {
    let least: Of | undefined;
    for (const member of this.#waiting) {
      if (least === undefined || member.used < least.used) {
        least = member;
      }
    }
    return least;
  }

  begin(member: Of): void {
    this.#catchUp(member);
    this.#now = Math.max(this.#now, member.used);
  }

  /** Charges a member for milliseconds of work. */
  charge(member: Of, milliseconds: number): void {
    this.#catchUp(member);
    member.used += milliseconds;
    this.#now += milliseconds / (this.#waiting.size + (member.isWaiting ? 0 : 1));
  }

  /** Moves an idle member up to the current time, because idle time isn't saved up. A waiting member keeps its arrears. */
  #catchUp(member: Of): void {
    if (!member.isWaiting) {
      member.used = Math.max(member.used, this.#now);
    }
  }
}

/** The number of entries above which idle ones are evicted. */
const MAX_IDLE = 1000;

/** Returns a map that creates a value when its name is first requested, and evicts idle values when it has many. */
function createIdleEvictingMap<Value>(
  create: (name: string) => Value,
  isEvictable: (value: Value) => boolean,
): (name: string) => Value {
  const byName = new Map<string, Value>();
  let sweepAt = MAX_IDLE;
  return (name) => {
    let value = byName.get(name);
    if (value === undefined) {
      if (byName.size >= sweepAt) {
        for (const [other, each] of byName) {
          if (isEvictable(each)) {
            byName.delete(other);
          }
        }
        sweepAt = Math.max(MAX_IDLE, 2 * byName.size);
      }
      value = create(name);
      byName.set(name, value);
    }
    return value;
  };
}

/** A class of clients. It has one share of the time, which its clients share among themselves. */
interface ClientClass extends Member {
  readonly time: VirtualTime<Client>;
}

interface Client extends Member {
  readonly name: string;
  readonly of: ClientClass;
  readonly waiting: Work[];
}

/**
 * Holds each client's waiting work, and chooses the next client: first between classes of clients, then within the class. Idle
 * clients are evicted.
 */
class ClientShares {
  readonly #time = new VirtualTime<ClientClass>();
  readonly #classNamed = createIdleEvictingMap(
    () => namedClass(this.#time.now),
    ({ of }) => isIdle(of),
  );
  readonly #onlyClient = createIdleEvictingMap(
    (name) => createClient(name, createClass(this.#time.now)),
    isIdle,
  );
  readonly #classOf: (name: string) => string | undefined;

  /** @param classOf returns the name of a client's class; undefined for a client with its own share */
  constructor(classOf: (name: string) => string | undefined) {
    this.#classOf = classOf;
  }

  clientNamed(name: string): Client {
    const className = this.#classOf(name);
    return className === undefined
      ? this.#onlyClient(name)
      : this.#classNamed(className).clientNamed(name);
  }

  wait(client: Client, work: Work): void {
    client.waiting.push(work);
    client.of.time.enter(client);
    this.#time.enter(client.of);
  }

  /** Removes and returns the next piece of work. */
  next(): { readonly client: Client; readonly work: Work } | undefined {
    const of = this.#time.next();
    const client = of?.time.next();
    const work = client?.waiting.shift();
    if (of === undefined || client === undefined || work === undefined) {
      return undefined;
    }
    if (client.waiting.length === 0) {
      of.time.leave(client);
    }
    if (of.time.waiting.size === 0) {
      this.#time.leave(of);
    }
    return { client, work };
  }

  begin(client: Client): void {
    this.#time.begin(client.of);
    client.of.time.begin(client);
  }

  charge(client: Client, milliseconds: number): void {
    this.#time.charge(client.of, milliseconds);
    client.of.time.charge(client, milliseconds);
  }

  /** Returns the number of waiting pieces of work for each client. */
  waiting(): (readonly [name: string, count: number])[] {
    return Array.from(this.#time.waiting).flatMap((of) =>
      Array.from(of.time.waiting, ({ name, waiting }) => [name, waiting.length] as const),
    );
  }
}

function isIdle({ isWaiting }: Member): boolean {
  return !isWaiting;
}

function createClass(used: number): ClientClass {
  return { used, isWaiting: false, time: new VirtualTime() };
}

function createClient(name: string, of: ClientClass): Client {
  return { name, of, used: of.time.now, isWaiting: false, waiting: [] };
}

function namedClass(used: number) {
  const of = createClass(used);
  return { of, clientNamed: createIdleEvictingMap((name) => createClient(name, of), isIdle) };
}
