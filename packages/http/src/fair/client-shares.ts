interface Member {
  /** Milliseconds of virtual time that it has used. When it returns, it starts with no less than the others have used. */
  used: number;
  isWaiting: boolean;
}

/**
 * Shares time between members: the waiting member that has used the least goes next (start-time fair queueing,
 * https://doi.org/10.1109/90.649569).
 *
 * Virtual time advances by each member's share of all the work that is done. If it only followed the members that are served,
 * then a steady stream of new members would all start where the last one did, and a returning member, which has used more than
 * that, would never be next.
 */
class VirtualTime<Of extends Member> {
  readonly #waiting = new Set<Of>();
  #now = 0;

  /** The time that a new member starts with. */
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

  /** Returns the waiting member that has used the least. */
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

/** Returns a map that creates a value when its name is first requested, and evicts idle values when there are many. */
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

/** A class of clients: it has one share of the time, which its clients share among themselves. */
interface ClientClass<Work> extends Member {
  readonly time: VirtualTime<Client<Work>>;
}

export interface Client<Work> extends Member {
  readonly name: string;
  readonly of: ClientClass<Work>;
  readonly waiting: Work[];
}

/**
 * Holds the waiting work of each client, and determines which client is next: time is shared between classes of clients, and
 * then within each class. Idle clients are evicted.
 */
export class ClientShares<Work> {
  readonly #time = new VirtualTime<ClientClass<Work>>();
  readonly #classNamed = createIdleEvictingMap(
    () => namedClass<Work>(this.#time.now),
    ({ of }) => isIdle(of),
  );
  readonly #onlyClient = createIdleEvictingMap(
    (name) => createClient(name, createClass<Work>(this.#time.now)),
    isIdle,
  );
  readonly #classOf: (name: string) => string | undefined;

  /** @param classOf returns the name of a client's class; undefined for a client with its own share */
  constructor(classOf: (name: string) => string | undefined) {
    this.#classOf = classOf;
  }

  clientNamed(name: string): Client<Work> {
    const className = this.#classOf(name);
    return className === undefined
      ? this.#onlyClient(name)
      : this.#classNamed(className).clientNamed(name);
  }

  wait(client: Client<Work>, work: Work): void {
    client.waiting.push(work);
    client.of.time.enter(client);
    this.#time.enter(client.of);
  }

  /** Removes the next work, and returns it. */
  next(): { readonly client: Client<Work>; readonly work: Work } | undefined {
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

  begin(client: Client<Work>): void {
    this.#time.begin(client.of);
    client.of.time.begin(client);
  }

  charge(client: Client<Work>, milliseconds: number): void {
    this.#time.charge(client.of, milliseconds);
    client.of.time.charge(client, milliseconds);
  }

  /** The number of pieces of work that wait, by client. */
  waiting(): (readonly [name: string, count: number])[] {
    return Array.from(this.#time.waiting).flatMap((of) =>
      Array.from(of.time.waiting, ({ name, waiting }) => [name, waiting.length] as const),
    );
  }
}

function isIdle({ isWaiting }: Member): boolean {
  return !isWaiting;
}

function createClass<Work>(used: number): ClientClass<Work> {
  return { used, isWaiting: false, time: new VirtualTime() };
}

function createClient<Work>(name: string, of: ClientClass<Work>): Client<Work> {
  return { name, of, used: of.time.now, isWaiting: false, waiting: [] };
}

function namedClass<Work>(used: number) {
  const of = createClass<Work>(used);
  return { of, clientNamed: createIdleEvictingMap((name) => createClient(name, of), isIdle) };
}
