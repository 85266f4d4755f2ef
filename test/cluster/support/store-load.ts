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

/** What clients ask. */
export interface LoadedStore {
  readonly urls: readonly string[];
  readonly key: string;
  /** How they ask, if not a gateway itself. */
  readonly ask?: typeof askGateway;
}

export interface StoreLoad {
  readonly ledger: Pick<Ledger, 'counts'>;
  /** What is wrong with the animals that are there, but for those that were changed: what they are is read at the end. */
  readonly lostFrom: (animals: readonly StoredAnimal[]) => string[];
  readonly history: Pick<StoreHistory, 'verdict'>;
  readonly creates: readonly Answer[];
  readonly reads: readonly Answer[];
  /** Resolves once every writer has been acknowledged so many more creates. */
  readonly acknowledged: (count: number) => Promise<void>;
  /** Resolves once something is refused that was written from now on. */
  readonly refused: () => Promise<void>;
  /** Resolves once every create has been acknowledged, or has not been for too long, and all that was changed is read. */
  readonly end: () => Promise<void>;
}

const WRITERS = 6;
const READERS = 4;
/** Each of which changes and removes its own animals. */
const CHANGERS = 2;
/** Milliseconds between two requests of a client: the machine's processors are also the cluster's. */
const PAUSE = 10;
/** Milliseconds for the last creates to be acknowledged. */
const END_TIMEOUT = 30_000;
/** How many of the newest animals a list begins with. */
const NEWEST = 10;
const UNAVAILABLE = 503;
/** Every which create has no key. */
const UNREPEATABLE = 3;
const STATUSES: readonly Status[] = ['available', 'pending', 'sold'];

/** In the names of animals that clients change and remove. */
const OWN = 'changed';

/** Clients of all gateways who add animals, most until they are acknowledged, change and remove others, and read in between. */
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

  /** At each gateway in turn. */
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
  /** Until it is known what has come of it, or it has not been for too long. */
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
   * Creates an animal, changes it under an idempotency key, by either API and as a change of the version that was read, then
   * without either, and removes every other one.
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
      // One of before isn't of this history.
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

/** The seconds from when the first 503 was asked for until the last was answered. */
export function secondsOf503(answers: readonly Answer[]): number {
  const refused = answers.filter(({ status }) => status === UNAVAILABLE);
  const from = Math.min(...refused.map(({ asked }) => asked));
  const to = Math.max(...refused.map(answeredAt));
  return refused.length === 0 ? 0 : (to - from) / 1000;
}
