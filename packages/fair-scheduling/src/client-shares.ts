import { createIdleEvictingMap } from './idle-evicting-map.ts';
import { createVirtualTime, type Member, type VirtualTime } from './virtual-time.ts';

/** Clients that have one share of the time together, which they share among themselves. */
interface ClientClass<Work> extends Member {
  readonly time: VirtualTime<Client<Work>>;
}

export interface Client<Work> extends Member {
  readonly name: string;
  readonly of: ClientClass<Work>;
  readonly waiting: Work[];
}

/** Who has what waiting, and who is next. Those that have gone are forgotten. */
export interface ClientShares<Work> {
  readonly clientNamed: (name: string) => Client<Work>;
  readonly wait: (client: Client<Work>, work: Work) => void;
  /** Takes the next work out. */
  readonly next: () => { readonly client: Client<Work>; readonly work: Work } | undefined;
  readonly begin: (client: Client<Work>) => void;
  readonly charge: (client: Client<Work>, milliseconds: number) => void;
  /** How many pieces of work wait. */
  readonly waiting: () => (readonly [name: string, count: number])[];
}

/**
 * Shares time between classes of clients, and then within each.
 *
 * @param classOf names the class of a client; undefined for one with a share of its own
 */
export function createClientShares<Work>(
  classOf: (name: string) => string | undefined,
): ClientShares<Work> {
  const time = createVirtualTime<ClientClass<Work>>();
  const classNamed = createIdleEvictingMap(
    () => namedClass<Work>(time.now()),
    ({ of }) => isIdle(of),
  );
  const onlyClient = createIdleEvictingMap(
    (name) => createClient(name, createClass<Work>(time.now())),
    isIdle,
  );

  return {
    clientNamed: (name) => {
      const className = classOf(name);
      return className === undefined ? onlyClient(name) : classNamed(className).clientNamed(name);
    },
    wait: (client, work) => {
      const { of, waiting } = client;
      waiting.push(work);
      of.time.enter(client);
      time.enter(of);
    },
    next: () => {
      const of = time.next();
      const client = of?.time.next();
      const work = client?.waiting.shift();
      if (of === undefined || client === undefined || work === undefined) {
        return undefined;
      }
      if (client.waiting.length === 0) {
        of.time.leave(client);
      }
      if (of.time.isEmpty()) {
        time.leave(of);
      }
      return { client, work };
    },
    begin: (client) => {
      const { of } = client;
      time.begin(of);
      of.time.begin(client);
    },
    charge: (client, milliseconds) => {
      const { of } = client;
      time.charge(of, milliseconds);
      of.time.charge(client, milliseconds);
    },
    waiting: () =>
      Array.from(time.waiting()).flatMap((of) =>
        Array.from(of.time.waiting(), ({ name, waiting }) => [name, waiting.length] as const),
      ),
  };
}

const isIdle = ({ isWaiting }: Member): boolean => !isWaiting;

function createClass<Work>(used: number): ClientClass<Work> {
  return { used, isWaiting: false, time: createVirtualTime() };
}

function createClient<Work>(name: string, of: ClientClass<Work>): Client<Work> {
  return { name, of, used: of.time.now(), isWaiting: false, waiting: [] };
}

function namedClass<Work>(used: number) {
  const of = createClass<Work>(used);
  return { of, clientNamed: createIdleEvictingMap((name) => createClient(name, of), isIdle) };
}
