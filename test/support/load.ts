import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createLedger, type StoredAnimal } from '../../soak/ledger.ts';

const CALLERS = 20;
const CREATE =
  'mutation ($name: String!, $key: String) { createPet(input: { name: $name, categoryId: 1 }, idempotencyKey: $key) { id } }';

interface Call {
  /** The method and the path. */
  readonly call: string;
  /** Of one that adds an animal. */
  readonly body?: (name: string) => object;
  /** Whether it is sent with an Idempotency-Key, and then again until it is done. */
  readonly repeated?: true;
  readonly header?: true;
}

const rest = (name: string) => ({ name, categoryId: 1 });
const graphql = (name: string) => ({ query: CREATE, variables: { name } });
const withArgument = (name: string) => ({ query: CREATE, variables: { name, key: name } });

/** What a caller asks for by turns; where it adds an animal, of a name of its own. */
const CALLS: readonly Call[] = [
  { call: 'POST /v1/pets', body: rest },
  { call: 'GET /v1/pets' },
  { call: 'POST /v1/pets', body: rest, repeated: true, header: true },
  { call: 'POST /graphql', body: graphql },
  { call: 'GET /graphql?query={pets{id}}' },
  { call: 'POST /graphql', body: graphql, repeated: true, header: true },
  { call: 'POST /graphql', body: withArgument, repeated: true },
];

/** Statuses of what is done. */
export const GOOD: readonly number[] = [200, 201];

/** Milliseconds before a caller who was refused asks again. */
const PAUSE = 20;

/** Milliseconds in which all that is to be repeated has to be done at the end. */
const LAST_PATIENCE = 10_000;

export interface Answer {
  readonly call: string;
  /** 0 if there was none; the text says why. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** When it was asked for, by performance.now(). */
  readonly asked: number;
  readonly milliseconds: number;
}

export interface Load extends AsyncDisposable {
  /** All so far; `name` is of the animal that was to be added, if one was. */
  readonly answers: readonly (Answer & { readonly name: string })[];
  /**
   * Resolves once every caller has got as many more answers of these statuses as there are calls; if a method
   * is given, to calls of that alone.
   */
  readonly allAnswered: (statuses: readonly number[], method?: 'GET' | 'POST') => Promise<void>;
  /** Resolves once anyone gets an answer of this status. */
  readonly answered: (status: number) => Promise<void>;
  /** Lets what is under way be answered, repeats what is not done yet until it is, and ends. */
  readonly end: () => Promise<void>;
  /** Of a load that has ended: what is wrong with the animals of a database that nobody else has added to. */
  readonly faultsIn: (databaseUrl: string) => Promise<string[]>;
}

let loads = 0;

/**
 * Callers of both surfaces who ask for one thing after the other, as fast as they are answered, if they are.
 *
 * @param url where the service is, or where it is by now
 * @param callerCount by default two for each connection of a pool
 */
export function startLoad(url: string | (() => string), key: string, callerCount = CALLERS): Load {
  const answers: (Answer & { readonly name: string })[] = [];
  const ledger = createLedger();
  const ending = new AbortController();
  let notice: ((caller: number, answer: Answer) => void) | undefined;
  loads += 1;
  const load = loads;

  const run = async (caller: number) => {
    const undone = new Map<Call, string>();
    const send = async (kind: Call, newName: string): Promise<void> => {
      const name = undone.get(kind) ?? newName;
      const { call, body, repeated = false, header = false } = kind;
      if (body !== undefined) {
        ledger.asked(name, { repeatable: repeated });
      }
      const address = typeof url === 'string' ? url : url();
      const answer = await ask(address, key, call, body?.(name), header ? name : undefined);
      answers.push({ ...answer, name });
      const isDone = GOOD.includes(answer.status);
      if (body !== undefined && isDone) {
        ledger.acknowledged(name, /"id":"?(\d+)/.exec(answer.text)?.[1] ?? answer.text);
      }
      if (repeated && !isDone) {
        undone.set(kind, name);
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
        await send(kind, `${load}-${caller}-${turn}-${index}`);
      }
    }
    const deadline = performance.now() + LAST_PATIENCE;
    while (undone.size > 0 && performance.now() < deadline) {
      for (const [kind, name] of undone) {
        await send(kind, name);
      }
    }
  };
  const callers = Promise.all(Array.from({ length: callerCount }, (_, caller) => run(caller)));

  const end = async () => {
    ending.abort();
    await callers;
  };
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
    faultsIn: async (databaseUrl) => ledger.faults(await animalsIn(databaseUrl)),
    [Symbol.asyncDispose]: end,
  };
}

async function animalsIn(databaseUrl: string): Promise<StoredAnimal[]> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<StoredAnimal>('SELECT id, name FROM pets');
  await client.end();
  return rows;
}

/** Sends a request, of which `call` is the method and the path. */
export async function ask(
  url: string,
  key: string,
  call: string,
  body?: object,
  idempotencyKey?: string,
): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const asked = performance.now();
  try {
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const milliseconds = performance.now() - asked;
    const retryAfter = answer.headers.get('Retry-After');
    return { call, status: answer.status, retryAfter, text, asked, milliseconds };
  } catch (error) {
    const milliseconds = performance.now() - asked;
    return { call, status: 0, retryAfter: null, text: String(error), asked, milliseconds };
  }
}
