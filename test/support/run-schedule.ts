import type { DatabaseProxy } from './database-proxy.ts';
import { ask, type Answer } from './ask.ts';
import { createStoreHistory, type Asked, type StoreHistory } from './store-history.ts';
import { requestFor, type Request } from './store-reads.ts';
import { requestForCreate, type Create, type Schedule } from './store-schedule.ts';

export interface StoreGateway {
  readonly url: string;
  /** Its way to the database. */
  readonly proxy: DatabaseProxy;
}

export interface EmptyStore {
  readonly key: string;
  /** The greatest id that was given out before. */
  readonly lastId: number;
  /** Called in each round when the gateways in question are held, before anything is created. */
  readonly onHeld: (() => Promise<void>) | undefined;
}

/** What needs a key and a whole GraphQL execution, but no database. */
const PROBE = 'GET /graphql?query={__typename}';

export type Outcome = Pick<StoreHistory, 'faults' | 'checks'>;

/** Runs a schedule, and tells which answers were wrong. */
export async function runSchedule(
  { reads, copies, rounds }: Schedule,
  gateways: readonly StoreGateway[],
  { key, lastId, onHeld }: EmptyStore,
): Promise<Outcome> {
  const history = createStoreHistory(lastId);
  const ofGateways = gateways.map(({ url, proxy }, index) => ({
    index,
    url,
    proxy,
    underWay: new Set<Promise<unknown>>(),
  }));
  type Gateway = (typeof ofGateways)[number];
  let names = 0;

  const send = async (
    { index, url, underWay }: Gateway,
    request: Request,
    hear: (asked: Asked, answer: Answer) => void,
  ): Promise<void> => {
    const asked = history.ask(index, request);
    const heard: Promise<boolean> = ask(url, key, request.call, request.body).then((answer) => {
      hear(asked, answer);
      return underWay.delete(heard);
    });
    underWay.add(heard);
    await heard;
  };
  const readAll = (gateway: Gateway): void => {
    for (const wanted of reads) {
      for (let copy = 0; copy < copies; copy += 1) {
        void send(gateway, requestFor(wanted, lastId), (asked, answer) => {
          history.read(asked, wanted, answer);
        });
      }
    }
  };
  const create = (wanted: Create, candidates: readonly Gateway[]): Promise<void> | undefined => {
    const gateway = candidates[wanted.gateway % candidates.length];
    names += 1;
    return gateway && send(gateway, requestForCreate(wanted, String(names)), history.created);
  };

  for (const round of rounds) {
    const held = ofGateways.filter(({ index }) => round.held.includes(index));
    const free = ofGateways.filter((gateway) => !held.includes(gateway));
    held.forEach(({ proxy }) => {
      proxy.hold();
    });
    free.forEach(({ proxy }) => {
      proxy.letGo();
    });
    ofGateways.forEach(readAll);
    // What is under way has seen the store as it is now, and is not told yet.
    await Promise.all(
      held.map(({ proxy, underWay }) => Promise.race([proxy.holding(), Promise.all(underWay)])),
    );
    await onHeld?.();
    for (const wanted of round.others) {
      void create(wanted, ofGateways);
    }
    await Promise.all(round.acknowledged.map(async (wanted) => create(wanted, free)));
    // What is asked for now has to show them, though it comes while the same is under way.
    ofGateways.forEach(readAll);
    // Once this is answered, those before it have come to where they are to be shared. Whether they
    // have is of no consequence for what is right, but for how surely a wrong one is found.
    await Promise.all(held.map(({ url }) => ask(url, key, PROBE)));
  }
  for (const { proxy } of ofGateways) {
    proxy.letGo();
  }
  await Promise.all(ofGateways.flatMap(({ underWay }) => Array.from(underWay)));
  return history;
}
