interface Member {
  /** Milliseconds of virtual time, but never less than others had used when it came back. */
  used: number;
  isWaiting: boolean;
}

/**
 * Shares time between members: of those that wait, the one that has used least goes next (start-time fair queueing,
 * https://doi.org/10.1109/90.649569).
 *
 * Virtual time passes by each member's share of all work that is done. If it only followed the members
 * served, then as long as new ones came they would all begin where the last one did, and one that returns, which has used
 * more than that, would never be the next.
 */
class VirtualTime<Of extends Member> {
  readonly #waiting = new Set<Of>();
  #now = 0;

  /** What a member that is new has used. */
  get now(): number {
    return this.#now;
  }

  get waiting(): ReadonlySet<Of> {
    return this.#waiting;
  }

  /** The member has work that waits, until it leaves. */
  enter(member: Of): void {
    this.#catchUp(member);
    member.isWaiting = true;
    this.#waiting.add(member);
  }

  leave(member: Of): void {
    member.isWaiting = false;
    this.#waiting.delete(member);
  }

  /** Of those that wait, the one that has used least. */
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

  /** Idle time is not saved up. One that waits keeps what it is behind. */
  #catchUp(member: Of): void {
    if (!member.isWaiting) {
      member.used = Math.max(member.used, this.#now);
    }
  }
}

/** Entries above which idle ones are evicted. */
const MAX_IDLE = 1000;

/** A map that creates a name's value when it is first asked for, and evicts idle values once there are many. */
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

/** Clients that have one share of the time together, which they share among themselves. */
interface ClientClass<Work> extends Member {
  readonly time: VirtualTime<Client<Work>>;
}

export interface Client<Work> extends Member {
  readonly name: string;
  readonly of: ClientClass<Work>;
  readonly waiting: Work[];
}

/**
 * The waiting work of each client, and which client is next: time is shared between classes of clients, and then within each.
 * Clients that have gone are forgotten.
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

  /** @param classOf names the class of a client; undefined for one with a share of its own */
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

  /** Takes the next work out. */
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

  /** How many pieces of work wait. */
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
