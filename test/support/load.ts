import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { createLedger } from './ledger.ts';
import { ask, SUCCESS_STATUSES, type Answer } from './ask.ts';
import { CALLS, listAfter, newAnimal, type Call, type NewAnimal } from './load-calls.ts';
import { faultsOfAnswers, type Animal, type LoadAnswer } from './load-faults.ts';

const CALLERS = 20;

/** Milliseconds before a caller who was refused asks again. */
const PAUSE = 20;

/** Milliseconds in which all that is to be repeated has to be done at the end. */
const REPEAT_TIMEOUT = 10_000;

export interface Load extends AsyncDisposable {
  /** All so far. */
  readonly answers: readonly LoadAnswer[];
  /**
   * Resolves once every caller has got as many more answers of these statuses as there are calls; if a method
   * is given, to calls of that alone.
   */
  readonly allAnswered: (statuses: readonly number[], method?: 'GET' | 'POST') => Promise<void>;
  /** Resolves once anyone gets an answer of this status. */
  readonly answered: (status: number) => Promise<void>;
  /** Lets what is under way be answered, repeats what is not done yet until it is, and ends. */
  readonly end: () => Promise<void>;
  /**
   * Of a load that has ended: what is wrong with its answers, and with the animals of a database.
   *
   * @param isOthers whether an animal of this name was sent by somebody else; by default none was
   */
  readonly faultsIn: (
    databaseUrl: string,
    isOthers?: (name: string) => boolean,
  ) => Promise<string[]>;
}

let loads = 0;

/**
 * Callers of both surfaces who ask for one thing after the other, as fast as they are answered, if they are, until
 * the test is over.
 *
 * @param url where the service is, or where it is by now
 * @param callerCount by default two for each connection of a pool
 */
export function startLoad(url: string | (() => string), key: string, callerCount = CALLERS): Load {
  const answers: LoadAnswer[] = [];
  const ledger = createLedger();
  const ending = new AbortController();
  let notice: ((caller: number, answer: Answer) => void) | undefined;
  loads += 1;
  const load = loads;

  const run = async (caller: number) => {
    const undone = new Map<Call, NewAnimal>();
    let lastId = 0;
    const send = async (kind: Call, animal: NewAnimal | undefined): Promise<void> => {
      const { body, isOfNewest = false, repeated = false, header = false } = kind;
      const after = isOfNewest ? Math.max(0, lastId - 1) : 0;
      const call = isOfNewest ? listAfter(after) : kind.call;
      if (animal !== undefined) {
        ledger.asked(animal.name, { repeatable: repeated });
      }
      const address = typeof url === 'string' ? url : url();
      const sent = animal && body?.(animal);
      const headers = header && animal ? { 'Idempotency-Key': animal.name } : {};
      const answer = await ask(address, key, call, sent, headers);
      answers.push({ ...answer, animal, after });
      const isDone = SUCCESS_STATUSES.includes(answer.status);
      if (animal !== undefined && isDone) {
        const id = /"id":"?(\d+)/.exec(answer.text)?.[1];
        ledger.acknowledged(animal.name, id ?? answer.text);
        lastId = Number(id ?? lastId);
      }
      if (animal !== undefined && repeated && !isDone) {
        undone.set(kind, animal);
      } else {
        undone.delete(kind);
      }
      notice?.(caller, answer);
      if (!isDone) {
        await setTimeout(PAUSE);
      }
    };

    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      for (const [index, kind] of CALLS.entries()) {
        const number = turn * CALLS.length + index;
        const next = kind.body && newAnimal(`${load}-${caller}-${number}`, number);
        await send(kind, undone.get(kind) ?? next);
      }
    }
    const deadline = performance.now() + REPEAT_TIMEOUT;
    while (undone.size > 0 && performance.now() < deadline) {
      for (const [kind, animal] of undone) {
        await send(kind, animal);
      }
    }
  };
  const callers = Promise.all(Array.from({ length: callerCount }, (_, caller) => run(caller)));

  const end = async () => {
    ending.abort();
    await callers;
  };
  // Also of one whose test has come to no end of its own: it would go on beside the next.
  onTestFinished(end);
  return {
    answers,
    allAnswered: (statuses, method) =>
      new Promise((resolve) => {
        const missing = Array.from({ length: callerCount }, () => CALLS.length);
        notice = (caller, { call, status }) => {
          const counts = statuses.includes(status) && call.startsWith(method ?? '');
          missing[caller] = (missing[caller] ?? 0) - (counts ? 1 : 0);
          if (missing.every((count) => count <= 0)) {
            resolve();
          }
        };
      }),
    answered: (status) =>
      new Promise((resolve) => {
        notice = (_caller, answer) => {
          if (answer.status === status) {
            resolve();
          }
        };
      }),
    end,
    faultsIn: async (databaseUrl, isOthers = () => false) => {
      const stored = await storedIn(databaseUrl);
      const own = stored.filter(({ name }) => !isOthers(name));
      return [...ledger.faults(own), ...faultsOfAnswers(answers, stored, isOthers)];
    },
    [Symbol.asyncDispose]: end,
  };
}

async function storedIn(databaseUrl: string): Promise<Animal[]> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<Animal>(
    'SELECT id, name, category_id AS "categoryId", status FROM pets',
  );
  await client.end();
  return rows;
}
