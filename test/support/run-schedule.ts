import type { DatabaseProxy } from './database-proxy.ts';
import { ask } from './ask.ts';
import { createStoreHistory } from './store-history/history.ts';
import type { Verdict } from './store-history/verdict.ts';
import type { Read } from './store-reads.ts';
import { requestFor, withHeaders, type Request } from './store-requests.ts';
import type { Schedule, Write } from './store-schedule.ts';
import { createWriter } from './store-writer.ts';

export interface StoreGateway {
  readonly url: string;
  /** Its way to the database. */
  readonly proxy: DatabaseProxy;
}

export interface EmptyStore {
  readonly key: string;
  /** Another one: the executions that a gateway runs for the first may all wait for the database. */
  readonly probeKey: string;
  /** The greatest id that was given out before. */
  readonly lastId: number;
  /** Called in each round when the gateways in question are held, before anything is written. */
  readonly onHeld: (() => Promise<void>) | undefined;
}

/** What needs a key and a whole GraphQL execution, but no database. */
const PROBE = 'GET /graphql?query={__typename}';

/** What every write makes a difference to. It comes first: this is what a gateway has in flight that is held. */
const ALL: Read = { by: 'GET /v1/pets', status: undefined, limit: 100, after: undefined };

/** Runs a schedule, and tells which answers were wrong. */
export async function runSchedule(
  { reads, copies, rounds }: Schedule,
  gateways: readonly StoreGateway[],
  { key, probeKey, lastId, onHeld }: EmptyStore,
): Promise<Verdict> {
  const history = createStoreHistory(lastId);
  const write = createWriter(history, lastId);
  const ofGateways = gateways.map(({ url, proxy }, index) => ({
    index,
    url,
    proxy,
    underWay: new Set<Promise<unknown>>(),
  }));
  type Gateway = (typeof ofGateways)[number];
  const writing = new Set<Promise<void>>();

  const send = async ({ index, url, underWay }: Gateway, request: Request): Promise<void> => {
    const asked = history.ask(index, request);
    const { call, body, headers } = request;
    const heard: Promise<boolean> = ask(url, key, call, body, headers).then((answer) => {
      history.heard(asked, answer);
      return underWay.delete(heard);
    });
    underWay.add(heard);
    await heard;
  };
  const readAll = (gateway: Gateway): void => {
    for (const wanted of [ALL, ...reads]) {
      const request = requestFor(wanted, lastId);
      const before = history.newest(request.call);
      const again = before ? withHeaders(request, { 'If-None-Match': before.tag }) : request;
      for (let copy = 0; copy < copies; copy += 1) {
        void send(gateway, copy % 2 === 0 ? request : again);
      }
    }
  };
  const writeBy = async (wanted: Write, candidates: readonly Gateway[]): Promise<void> => {
    const written = write(wanted, async (turn, request) => {
      const gateway = candidates[turn % candidates.length];
      if (gateway !== undefined) await send(gateway, request);
    }).finally(() => writing.delete(written));
    writing.add(written);
    await written;
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
      void writeBy(wanted, ofGateways);
    }
    await Promise.all(round.acknowledged.map(async (wanted) => writeBy(wanted, free)));
    // What is asked for now has to show it, though it comes while the same is under way.
    ofGateways.forEach(readAll);
    // Once this is answered, those before it have come to where they are to be shared. Whether they
    // have is of no consequence for what is right, but for how surely a wrong one is found.
    await Promise.all(held.map(({ url }) => ask(url, probeKey, PROBE)));
  }
  for (const { proxy } of ofGateways) {
    proxy.letGo();
  }
  await Promise.all(writing);
  await Promise.all(ofGateways.flatMap(({ underWay }) => Array.from(underWay)));
  return history.verdict();
}
