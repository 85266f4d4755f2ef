import { createIdleEvictingMap } from './idle-evicting-map.ts';
import { VirtualTime, type Member } from './virtual-time.ts';

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
