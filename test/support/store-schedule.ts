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
import { createDatabase, TEMPLATE } from './database.ts';

const GATEWAYS = 3;

/** Something that is written. */
export interface Write {
  /** Which of the gateways whose database answers, or of all. */
  readonly gateway: number;
  readonly by: Surface;
  readonly does: 'create' | 'change' | 'remove';
  /** Which of the animals that clients know. */
  readonly animal: number;
  readonly status: Status;
  /** What a change leaves as it is. */
  readonly leaves: 'name' | 'categoryId' | undefined;
  /** Whether a change by REST is one of a version that has just been read. */
  readonly isConditional: boolean;
  /** How many clients want something like it at the same time, of the same version. */
  readonly rivals: number;
  /** Whether each sends it twice, with an idempotency key. */
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

/** One step of a schedule. What is held in one goes at the beginning of the next. */
const anyRound = record({
  /** The gateways that don't hear yet what the database answers. */
  held: constantFrom<number[][]>([0], [1], [2], [0, 1], [0, 2], [1, 2]),
  /** What is written by way of gateways that hear of it, so that it is acknowledged. */
  acknowledged: array(anyWrite, { minLength: 1, maxLength: 3 }),
  /** What is written by way of any. */
  others: array(anyWrite, { maxLength: 2 }),
});

/** A few rounds, on a store without animals. */
export const schedules = record({
  /** What is read of every gateway in each round, before something is written and after. */
  reads: array(oneof(anyList, anyAnimal), { minLength: 1, maxLength: 3 }),
  /** How often, at the same time. */
  copies: integer({ min: 2, max: 4 }),
  rounds: array(anyRound, { minLength: 2, maxLength: 4 }),
});

export type Schedule = typeof schedules extends Arbitrary<infer Value> ? Value : never;

/** Sends a request to one of the gateways, or the one after it, and records what comes of it. */
type Send = (turn: number, request: Request) => Promise<unknown>;

const OTHER = { name: 'categoryId', categoryId: 'name', both: undefined } as const;

/** Returns what writes what a schedule has, where `send` may; it resolves once that is answered. */
export function createWriter(
  { ids, newest }: Pick<StoreHistory, 'ids' | 'newest'>,
  lastId: number,
) {
  let count = 0;
  /** What nobody has written before. */
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
      // Every other one changes what the one before has left.
      const leaves = rival % 2 === 0 ? wanted.leaves : OTHER[wanted.leaves ?? 'both'];
      const request = requestOf({ ...wanted, leaves }, next(wanted.status), id, expected);
      const key = { 'Idempotency-Key': `write-${count}` };
      const sent = isRepeated ? [withHeaders(request, key), withHeaders(request, key)] : [request];
      await Promise.all(sent.map((each, copy) => send(gateway + rival + copy, each)));
    });
    await Promise.all(rivals);
  };
}

/** A change of an animal, as long as there is one; else a create. */
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
  /** Its way to the database. */
  readonly proxy: DatabaseProxy;
}

interface EmptyStore {
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

/**
 * Starts several gateways on one database, each behind a proxy of its own.
 *
 * @param start starts one, in a process of its own or in this one, until the tests of the file are over
 * @param given a database of theirs, if not one of the tests' PostgreSQL
 */
export async function startStoreGateways(
  start: (databaseUrl: string) => Promise<Pick<StoreGateway, 'url'>>,
  given?: string,
) {
  const databaseUrl =
    given ?? (await createDatabase(inject('postgresUrl'), { template: TEMPLATE }));
  const database = openDatabase(databaseUrl, { isSharded: inject('isSharded') });
  onFileFinished(() => database.$disconnect());
  const client = await connectClient(databaseUrl, onFileFinished);
  const gateways: StoreGateway[] = [];
  // One after the other: together they would keep each other from starting in time.
  while (gateways.length < GATEWAYS) {
    const proxy = keptForFile(await startDatabaseProxy(databaseUrl));
    const { url } = await start(proxy.url);
    gateways.push({ url, proxy });
  }
  /** One read by each gateway, with a new key. */
  const readOnce = async (): Promise<string> => {
    const { key } = await createKey(database);
    await Promise.all(gateways.map(({ url }) => ask(url, key, 'GET /v1/pets')));
    return key;
  };
  return {
    readOnce,
    /** Runs a schedule on a store without animals; `onHeld` is called in each round, once gateways are held. */
    run: async (schedule: Schedule, onHeld?: () => Promise<void>): Promise<Verdict> => {
      await client.query('DELETE FROM pets');
      const { rows } = await client.query<{ id: string }>(
        "SELECT coalesce(pg_sequence_last_value('pets_id_seq'), 0) AS id",
      );
      // The keys are known for 3 s, longer than a schedule takes: so the database is asked about animals alone.
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
