import {
  array,
  boolean,
  constant,
  constantFrom,
  integer,
  oneof,
  option,
  record,
  type Arbitrary,
} from 'fast-check';
import {
  type AnimalRead,
  type ListRead,
  type Read,
  type Status,
  type Surface,
  animalCall,
  changeRequest,
  createRequest,
  removeRequest,
  requestFor,
  withHeaders,
  type Representation,
  type Request,
  type Writes,
} from './store-requests.ts';
import { type StoreHistory, type Verdict, createStoreHistory } from './store-history/history.ts';
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts';
import { ask } from './ask.ts';
import { openDatabase } from './store-database.ts';
import { inject } from 'vitest';
import { createKey } from './keys.ts';
import { keptForFile, onFileFinished } from './clean-up.ts';
import { connectClient } from './connect-client.ts';
import { newDatabase } from './new-database.ts';

const GATEWAYS = 3;

/** A write in a schedule. */
export interface Write {
  /** An index among the gateways whose database answers, or among all gateways. */
  readonly gateway: number;
  readonly by: Surface;
  readonly does: 'create' | 'change' | 'remove';
  /** An index among the animals that clients know. */
  readonly animal: number;
  readonly status: Status;
  /** The field that a change leaves unchanged. */
  readonly leaves: 'name' | 'categoryId' | undefined;
  /** Whether a REST change is conditional on a version that was just read. */
  readonly isConditional: boolean;
  /** How many clients request such a write at the same time, for the same version. */
  readonly rivals: number;
  /** Whether each client sends it twice, with an idempotency key. */
  readonly isRepeated: boolean;
}

const anyStatus = constantFrom<Status[]>('available', 'pending', 'sold');
const anyList: Arbitrary<ListRead> = record({
  by: constantFrom<ListRead['by'][]>('GET /v1/pets', 'pets', 'petsConnection'),
  status: option(anyStatus, { nil: undefined, freq: 2 }),
  limit: constantFrom(1, 2, 20, 100),
  after: option(integer({ min: 0, max: 5 }), { nil: undefined, freq: 2 }),
  ids: oneof(
    { weight: 3, arbitrary: constant(undefined) },
    { weight: 1, arbitrary: array(integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }) },
  ),
});
const anyAnimal: Arbitrary<AnimalRead> = record({
  by: constantFrom<AnimalRead['by'][]>('GET /v1/pets/:id', 'pet'),
  id: integer({ min: 1, max: 5 }),
});
const anyWrite: Arbitrary<Write> = record({
  gateway: integer({ min: 0, max: GATEWAYS - 1 }),
  by: constantFrom<Surface[]>('REST', 'GraphQL'),
  does: constantFrom<Write['does'][]>('create', 'create', 'change', 'change', 'change', 'remove'),
  animal: integer({ min: 0, max: 3 }),
  status: anyStatus,
  leaves: constantFrom<Write['leaves'][]>('name', 'categoryId', undefined),
  isConditional: boolean(),
  rivals: constantFrom(1, 1, 2),
  isRepeated: boolean(),
});

/** One round in a schedule. Answers that are held in one round are released at the beginning of the next. */
const anyRound = record({
  /** The gateways to which the database's answers are held back. */
  held: constantFrom<number[][]>([0], [1], [2], [0, 1], [0, 2], [1, 2]),
  /** Writes through gateways that receive the database's answers, so that they are acknowledged. */
  acknowledged: array(anyWrite, { minLength: 1, maxLength: 3 }),
  /** Writes through any gateway. */
  others: array(anyWrite, { maxLength: 2 }),
});

/** A few rounds, on a store without animals. */
export const schedules = record({
  /** The reads that are sent to every gateway in each round, before and after the writes. */
  reads: array(oneof(anyList, anyAnimal), { minLength: 1, maxLength: 3 }),
  /** How often each read is sent at the same time. */
  copies: integer({ min: 2, max: 4 }),
  rounds: array(anyRound, { minLength: 2, maxLength: 4 }),
});

export type Schedule = typeof schedules extends Arbitrary<infer Value> ? Value : never;

/** Sends a request to the gateway with this index modulo their number, and records the response. */
type Send = (turn: number, request: Request) => Promise<unknown>;

const OTHER = { name: 'categoryId', categoryId: 'name', both: undefined } as const;

/** Returns a function that performs a schedule's writes through `send`; it resolves when they are answered. */
export function createWriter(
  { ids, newest }: Pick<StoreHistory, 'ids' | 'newest'>,
  lastId: number,
) {
  let count = 0;
  /** Returns values that have not been written before. */
  const next = (status: string): Required<Writes> => {
    count += 1;
    return { name: `${status} ${count}`, categoryId: count };
  };

  return async (wanted: Write, send: Send): Promise<void> => {
    const { gateway, isConditional, isRepeated, by } = wanted;
    const known = ids();
    const id = known[wanted.animal % known.length];
    let expected: Representation | undefined;
    if (id !== undefined && isConditional && by === 'REST' && wanted.does !== 'create') {
      await send(gateway, requestFor({ by: 'GET /v1/pets/:id', id: id - lastId }, lastId));
      expected = newest(animalCall('GET', id));
    }
    const rivals = Array.from({ length: wanted.rivals }, async (_none, rival) => {
      // Every second rival changes the field that the one before leaves unchanged.
      const leaves = rival % 2 === 0 ? wanted.leaves : OTHER[wanted.leaves ?? 'both'];
      const request = requestOf({ ...wanted, leaves }, next(wanted.status), id, expected);
      const key = { 'Idempotency-Key': `write-${count}` };
      const sent = isRepeated ? [withHeaders(request, key), withHeaders(request, key)] : [request];
      await Promise.all(sent.map((each, copy) => send(gateway + rival + copy, each)));
    });
    await Promise.all(rivals);
  };
}

/** Returns a change to an animal if there is one, otherwise a create. */
function requestOf(
  { does, by, leaves }: Write,
  { name, categoryId }: Required<Writes>,
  id: number | undefined,
  expected: Representation | undefined,
): Request {
  if (does === 'create' || id === undefined) {
    return createRequest(by, { name, categoryId });
  }
  if (does === 'remove') {
    return removeRequest(by, { id, expected });
  }
  const writes = {
    ...(leaves !== 'name' && { name }),
    ...(leaves !== 'categoryId' && { categoryId }),
  };
  return changeRequest(by, { id, writes, expected });
}

interface StoreGateway {
  readonly url: string;
  /** The proxy between the gateway and the database. */
  readonly proxy: DatabaseProxy;
}

interface EmptyStore {
  readonly key: string;
  /** A different key, because all executions that a gateway runs for the first one may be waiting for the database. */
  readonly probeKey: string;
  /** The greatest id that was assigned before. */
  readonly lastId: number;
  /** Called in each round when the held gateways are waiting, before anything is written. */
  readonly onHeld: (() => Promise<void>) | undefined;
}

/** Needs a key and a complete GraphQL execution, but no database. */
const PROBE = 'GET /graphql?query={__typename}';

/** A read that every write affects. It is sent first, so that a held gateway has it in flight. */
const ALL: Read = { by: 'GET /v1/pets', status: undefined, limit: 100, after: undefined };

/** Runs a schedule, and returns which responses were wrong. */
async function runSchedule(
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
    // The reads in flight have seen the store as it is now, but their answers are held back.
    await Promise.all(
      held.map(({ proxy, underWay }) => Promise.race([proxy.holding(), Promise.all(underWay)])),
    );
    await onHeld?.();
    for (const wanted of round.others) {
      void writeBy(wanted, ofGateways);
    }
    await Promise.all(round.acknowledged.map(async (wanted) => writeBy(wanted, free)));
    // Reads that are sent now must show the writes, although the same reads are still in flight.
    ofGateways.forEach(readAll);
    // When this probe is answered, earlier requests have reached the point where they may be shared. Correctness does
    // not depend on that, but it makes a wrong response more likely to be found.
    await Promise.all(held.map(({ url }) => ask(url, probeKey, PROBE)));
  }
  for (const { proxy } of ofGateways) {
    proxy.letGo();
  }
  await Promise.all(writing);
  await Promise.all(ofGateways.flatMap(({ underWay }) => Array.from(underWay)));
  return history.verdict();
}

/**
 * Starts several gateways on one database, each behind its own proxy.
 *
 * @param start starts one, in its own process or in this one, until the file's tests are over
 * @param given the URL of an existing database, instead of a new one on the tests' PostgreSQL
 */
export async function startStoreGateways(
  start: (databaseUrl: string) => Promise<Pick<StoreGateway, 'url'>>,
  given?: string,
) {
  const databaseUrl = given ?? (await newDatabase());
  const database = openDatabase(databaseUrl, { isSharded: inject('isSharded') });
  onFileFinished(() => database.$disconnect());
  const client = await connectClient(databaseUrl, onFileFinished);
  const gateways: StoreGateway[] = [];
  // They start one after the other; together, they would delay each other too much.
  while (gateways.length < GATEWAYS) {
    const proxy = keptForFile(await startDatabaseProxy(databaseUrl));
    const { url } = await start(proxy.url);
    gateways.push({ url, proxy });
  }
  /** Sends one read to each gateway, with a new key. */
  const readOnce = async (): Promise<string> => {
    const { key } = await createKey(database);
    await Promise.all(gateways.map(({ url }) => ask(url, key, 'GET /v1/pets')));
    return key;
  };
  return {
    readOnce,
    /** Runs a schedule on a store without animals; `onHeld` is called in each round when the gateways are held. */
    run: async (schedule: Schedule, onHeld?: () => Promise<void>): Promise<Verdict> => {
      await client.query('DELETE FROM pets');
      const { rows } = await client.query<{ id: string }>(
        "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0) AS id",
      );
      // Keys are cached for 3 s, longer than a schedule takes, so the database is only queried for animals.
      const [key, probeKey] = await Promise.all([readOnce(), readOnce()]);
      return runSchedule(schedule, gateways, {
        key,
        probeKey,
        lastId: Number(rows[0]?.id),
        onHeld,
      });
    },
  };
}
