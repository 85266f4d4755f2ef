import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { answeredAt, ask, SUCCESS_STATUSES, type Answer } from '../../support/ask.ts';
import { createLedger, type Ledger } from '../../support/ledger.ts';
import {
  createStoreHistory,
  type HistoryOptions,
  type StoreHistory,
} from '../../support/store-history.ts';
import { animalsIn, requestFor, type Read, type Status } from '../../support/store-reads.ts';
import { requestForCreate, type Create } from '../../support/store-schedule.ts';
import type { ReplicatedStore } from './replicated-store.ts';

export interface StoreLoad {
  readonly ledger: Pick<Ledger, 'counts' | 'faults'>;
  readonly history: Pick<StoreHistory, 'faults' | 'checks'>;
  readonly creates: readonly Answer[];
  readonly reads: readonly Answer[];
  /** Resolves once every writer has been acknowledged so many more creates. */
  readonly acknowledged: (count: number) => Promise<void>;
  /** Resolves once every create has been acknowledged. */
  readonly end: () => Promise<void>;
}

const WRITERS = 6;
const READERS = 4;
/** Milliseconds between two requests of a client: the machine's processors are also the cluster's. */
const PAUSE = 10;
/** How many of the newest animals a list begins with. */
const NEWEST = 10;
const UNAVAILABLE = 503;
const STATUSES: readonly Status[] = ['available', 'pending', 'sold'];

/** Clients of all gateways who add animals, each until it is acknowledged, and read in between. */
export function startStoreLoad(
  { urls, key }: ReplicatedStore,
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

  /** At each gateway in turn. */
  const send = async (turn: number, request: { call: string; body?: object }, name?: string) => {
    const gateway = turn % urls.length;
    const asked = history.ask(gateway, request);
    const answer = await ask(urls[gateway] ?? '', key, request.call, request.body, name);
    return { asked, answer };
  };
  const create = async (turn: number, name: string, wanted: Create): Promise<Answer> => {
    const request = requestForCreate(wanted, name);
    ledger.asked(`${wanted.status} ${name}`, { repeatable: true });
    const { asked, answer } = await send(turn, request, name);
    history.created(asked, answer);
    creates.push(answer);
    for (const animal of SUCCESS_STATUSES.includes(answer.status) ? animalsIn(answer) : []) {
      ledger.acknowledged(animal.name, String(animal.id));
      newestId = Math.max(newestId, animal.id);
    }
    return answer;
  };
  const read = async (turn: number, wanted: Read): Promise<void> => {
    const { asked, answer } = await send(turn, requestFor(wanted, lastId));
    history.read(asked, wanted, answer);
    reads.push(answer);
    await setTimeout(PAUSE);
  };
  const write = async (writer: number): Promise<void> => {
    for (let turn = writer; !ending.signal.aborted; turn += 1) {
      const name = `${lastId}-${writer}-${turn}`;
      const status = STATUSES[turn % STATUSES.length] ?? 'sold';
      const by = turn % 2 === 0 ? 'POST /v1/pets' : 'createPet';
      let told = UNAVAILABLE;
      for (let attempt = turn; told === UNAVAILABLE; attempt += 1) {
        ({ status: told } = await create(attempt, name, { gateway: 0, by, status }));
        await setTimeout(PAUSE);
      }
      acknowledged[writer] = (acknowledged[writer] ?? 0) + 1;
    }
  };
  const readOn = async (reader: number): Promise<void> => {
    for (let turn = reader; !ending.signal.aborted; turn += 1) {
      const status = STATUSES[turn % STATUSES.length] ?? 'sold';
      const after = Math.max(0, newestId - lastId - NEWEST);
      await read(turn, { by: 'GET /v1/pets', status: undefined, limit: 100, after });
      await read(turn + 1, { by: 'pets', status, limit: 100, after });
      await read(turn, { by: 'pet', id: newestId - lastId });
    }
  };
  const clients = Promise.all([
    ...acknowledged.map((_, writer) => write(writer)),
    ...Array.from({ length: READERS }, (_, reader) => readOn(reader)),
  ]);
  const end = async () => {
    ending.abort();
    await clients;
  };
  onTestFinished(end);
  return {
    ledger,
    history,
    creates,
    reads,
    acknowledged: async (count) => {
      const before = [...acknowledged];
      while (acknowledged.some((now, client) => now < (before[client] ?? 0) + count)) {
        await setTimeout(PAUSE);
      }
    },
    end,
  };
}

/** The seconds from when the first 503 was asked for until the last was answered. */
export function secondsOf503(answers: readonly Answer[]): number {
  const refused = answers.filter(({ status }) => status === UNAVAILABLE);
  const from = Math.min(...refused.map(({ asked }) => asked));
  const to = Math.max(...refused.map(answeredAt));
  return refused.length === 0 ? 0 : (to - from) / 1000;
}
