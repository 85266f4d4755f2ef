import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { answeredAt, ask as askGateway, SUCCESS_STATUSES, type Answer } from '../../support/ask.ts';
import { createLedger, type Ledger, type StoredAnimal } from '../../support/ledger.ts';
import {
  createStoreHistory,
  type HistoryOptions,
  type StoreHistory,
} from '../../support/store-history/history.ts';
import {
  animalsIn,
  type Read,
  type Status,
  animalCall,
  changeRequest,
  createRequest,
  removeRequest,
  requestFor,
  withHeaders,
  type Request,
  type Surface,
} from '../../support/store-requests.ts';

/** The store that clients put under load. */
export interface LoadedStore {
  readonly urls: readonly string[];
  readonly key: string;
  /** Sends a request, by default directly to a gateway. */
  readonly ask?: typeof askGateway;
}

export interface StoreLoad {
  readonly ledger: Pick<Ledger, 'counts'>;
  /** Returns the faults of the stored animals, except for changed animals, which are read and checked at the end. */
  readonly lostFrom: (animals: readonly StoredAnimal[]) => string[];
  readonly history: Pick<StoreHistory, 'verdict'>;
  readonly creates: readonly Answer[];
  readonly reads: readonly Answer[];
  /** Resolves when every writer has received `count` more acknowledgements of creates. */
  readonly acknowledged: (count: number) => Promise<void>;
  /** Resolves when a write that was sent after this call gets a 503. */
  readonly refused: () => Promise<void>;
  /** Resolves when every create has been acknowledged or has timed out, and all changed animals have been read. */
  readonly end: () => Promise<void>;
}

const WRITERS = 6;
const READERS = 4;
/** The number of clients that each change and remove their own animals. */
const CHANGERS = 2;
/** Milliseconds between two requests by a client, because the cluster runs on the same processors. */
const PAUSE = 10;
/** Milliseconds for the last creates to be acknowledged. */
const END_TIMEOUT = 30_000;
/** How far before the newest id a list begins. */
const NEWEST = 10;
const UNAVAILABLE = 503;
/** One in this many creates has no idempotency key. */
const UNREPEATABLE = 3;
const STATUSES: readonly Status[] = ['available', 'pending', 'sold'];

/** A word in the names of animals that clients change and remove. */
const OWN = 'changed';

/** Starts clients that create animals, mostly until they are acknowledged, change and remove others, and read meanwhile. */
export function startStoreLoad(
  { urls, key, ask = askGateway }: LoadedStore,
  lastId: number,
  options: HistoryOptions,
): StoreLoad {
  const ledger = createLedger();
  const history = createStoreHistory(lastId, options);
  const creates: Answer[] = [];
  const reads: Answer[] = [];
  const acknowledged = Array.from({ length: WRITERS }, () => 0);
  let newestId = lastId;
  const ending = new AbortController();
  let deadline = Infinity;

  let written = 0;
  const unique = () => {
    written += 1;
    return written;
  };

  /** Sends a request to the gateway whose turn it is. */
  const send = async (turn: number, request: Request): Promise<Answer> => {
    const gateway = turn % urls.length;
    const { call, body, headers } = request;
    const asked = history.ask(gateway, request);
    const answer = await ask(urls[gateway] ?? '', key, call, body, headers);
    history.heard(asked, answer);
    (request.wanted.does === 'read' ? reads : creates).push(answer);
    await setTimeout(PAUSE);
    return answer;
  };
  /** Repeats a request at each gateway in turn until the response is not 503 or the deadline has passed. */
  const repeat = async (turn: number, request: Request): Promise<Answer> => {
    let answer = await send(turn, request);
    for (
      let next = turn + 1;
      answer.status === UNAVAILABLE && performance.now() < deadline;
      next += 1
    ) {
      answer = await send(next, request);
    }
    return answer;
  };
  const read = (turn: number, wanted: Read) => send(turn, requestFor(wanted, lastId));
  const write = async (writer: number): Promise<void> => {
    for (let turn = writer; !ending.signal.aborted; turn += 1) {
      const status = STATUSES[turn % STATUSES.length] ?? 'sold';
      const by: Surface = turn % 2 === 0 ? 'REST' : 'GraphQL';
      const writes = { name: `${status} ${lastId}-${writer}-${turn}`, categoryId: unique() };
      const request = createRequest(by, writes);
      const headers = { 'Idempotency-Key': `${lastId}-${writer}-${turn}` };
      const repeatable = turn % UNREPEATABLE !== 0;
      ledger.asked(writes.name, { repeatable });
      const answer = await (repeatable
        ? repeat(turn, withHeaders(request, headers))
        : send(turn, request));
      if (!SUCCESS_STATUSES.includes(answer.status)) continue;
      for (const animal of animalsIn(answer)) {
        ledger.acknowledged(animal.name, String(animal.id));
        newestId = Math.max(newestId, animal.id);
      }
      acknowledged[writer] = (acknowledged[writer] ?? 0) + 1;
    }
  };
  const changed: number[] = [];
  /**
   * Creates an animal and changes it: with an idempotency key and the version that was read, with only a key in either
   * API, and without either. Removes every other animal.
   */
  const changeAnAnimal = async (turn: number): Promise<void> => {
    const by: Surface = turn % 2 === 0 ? 'REST' : 'GraphQL';
    const next = (status: string) => {
      const number = unique();
      return { name: `${status} ${OWN} ${lastId}-${number}`, categoryId: number };
    };
    const keyed = (request: Request) =>
      withHeaders(request, { 'Idempotency-Key': `${OWN}-${lastId}-${unique()}` });

    const created = await repeat(turn, keyed(createRequest(by, next('available'))));
    const id = SUCCESS_STATUSES.includes(created.status) ? animalsIn(created)[0]?.id : undefined;
    if (id === undefined) {
      return;
    }
    await send(turn, requestFor({ by: 'GET /v1/pets/:id', id: id - lastId }, lastId));
    const expected = history.newest(animalCall('GET', id));
    const { categoryId, name } = next('pending');
    await repeat(turn + 1, keyed(changeRequest('REST', { id, writes: { name }, expected })));
    await repeat(turn, keyed(changeRequest(by, { id, writes: { categoryId } })));
    await send(turn + 1, changeRequest(by, { id, writes: next('sold') }));
    if (turn % 4 === 0) await repeat(turn, keyed(removeRequest(by, { id })));
    if (turn % 4 === 1) await send(turn, removeRequest(by, { id }));
    changed.push(id);
  };
  const changeOn = async (changer: number): Promise<void> => {
    for (let turn = changer; !ending.signal.aborted; turn += 1) await changeAnAnimal(turn);
  };
  const readOn = async (reader: number): Promise<void> => {
    for (let turn = reader; !ending.signal.aborted; turn += 1) {
      const status = STATUSES[turn % STATUSES.length] ?? 'sold';
      const after = Math.max(0, newestId - lastId - NEWEST);
      await read(turn, { by: 'GET /v1/pets', status: undefined, limit: 100, after });
      await read(turn + 1, { by: 'pets', status, limit: 100, after });
      // Older animals are not part of this history.
      if (newestId > lastId) await read(turn, { by: 'pet', id: newestId - lastId });
    }
  };
  const clients = Promise.all([
    ...acknowledged.map((_, writer) => write(writer)),
    ...Array.from({ length: CHANGERS }, (_, changer) => changeOn(changer)),
    ...Array.from({ length: READERS }, (_, reader) => readOn(reader)),
  ]);
  const end = async () => {
    ending.abort();
    deadline = performance.now() + END_TIMEOUT;
    await clients;
  };
  onTestFinished(end);
  const endAndRead = async () => {
    await end();
    for (const id of changed) await repeat(id, requestFor({ by: 'pet', id: id - lastId }, lastId));
  };
  return {
    ledger,
    lostFrom: (animals) => ledger.faults(animals.filter(({ name }) => !name.includes(` ${OWN} `))),
    history,
    creates,
    reads,
    acknowledged: async (count) => {
      const before = [...acknowledged];
      while (acknowledged.some((now, client) => now < (before[client] ?? 0) + count)) {
        await setTimeout(PAUSE);
      }
    },
    refused: async () => {
      const since = performance.now();
      while (!creates.some(({ status, asked }) => status === UNAVAILABLE && asked > since)) {
        await setTimeout(PAUSE);
      }
    },
    end: endAndRead,
  };
}

/** Returns the seconds from the first request that got a 503 until the last 503 response. */
export function secondsOf503(answers: readonly Answer[]): number {
  const refused = answers.filter(({ status }) => status === UNAVAILABLE);
  const from = Math.min(...refused.map(({ asked }) => asked));
  const to = Math.max(...refused.map(answeredAt));
  return refused.length === 0 ? 0 : (to - from) / 1000;
}
