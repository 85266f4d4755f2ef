import { createIdleEvictingMap } from './idle-evicting-map.ts';
import { createVirtualTime, type Member, type VirtualTime } from './virtual-time.ts';

interface Client<Work> extends Member {
  readonly name: string;
  readonly waiting: Work[];
}

/** Clients that have one share of the time together, which they share among themselves. */
interface ClientClass<Work> extends Member {
  readonly time: VirtualTime<Client<Work>>;
  readonly clientNamed: (name: string) => Client<Work>;
}

/** A client and its class. */
export interface Share<Work> {
  readonly of: ClientClass<Work>;
  readonly client: Client<Work>;
}

/** Who has what waiting, and who is next. Those that have gone are forgotten. */
export interface ClientShares<Work> {
  readonly shareOf: (name: string) => Share<Work>;
  readonly wait: (share: Share<Work>, work: Work) => void;
  /** Takes the next work out. */
  readonly next: () => { readonly share: Share<Work>; readonly work: Work } | undefined;
  readonly begin: (share: Share<Work>) => void;
  readonly charge: (share: Share<Work>, milliseconds: number) => void;
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
  const classNamed = createIdleEvictingMap(() => createClass<Work>(time.now()), isIdle);
  const onlyClient = createIdleEvictingMap((name) => classOfOne<Work>(name, time.now()), isIdle);

  return {
    shareOf: (name) => {
      const className = classOf(name);
      const of = className === undefined ? onlyClient(name) : classNamed(className);
      return { of, client: of.clientNamed(name) };
    },
    wait: ({ of, client }, work) => {
      client.waiting.push(work);
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
      return { share: { of, client }, work };
    },
    begin: ({ of, client }) => {
      time.begin(of);
      of.time.begin(client);
    },
    charge: ({ of, client }, milliseconds) => {
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
  const time = createVirtualTime<Client<Work>>();
  const clientNamed = createIdleEvictingMap<Client<Work>>(
    (name) => ({ name, used: time.now(), isWaiting: false, waiting: [] }),
    isIdle,
  );
  return { used, isWaiting: false, time, clientNamed };
}

function classOfOne<Work>(name: string, used: number): ClientClass<Work> {
  const client: Client<Work> = { name, used: 0, isWaiting: false, waiting: [] };
  return { used, isWaiting: false, time: createVirtualTime(), clientNamed: () => client };
}
