import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { WHOLE_ANIMAL } from './animals.ts';
import { answeredAt, ask, SUCCESS_STATUSES, type Answer } from './ask.ts';
import { connectClient } from './connect-client.ts';
import { createLedger } from './ledger.ts';
import { animalsIn, type Animal, type Status } from './store-requests.ts';

const CREATE = `mutation ($input: NewPet!, $key: String) { createPet(input: $input, idempotencyKey: $key) ${WHOLE_ANIMAL} }`;
const STATUSES: readonly Status[] = ['available', 'pending', 'sold'];

/** The methods and paths for lists and additions. */
export const REST_LIST = 'GET /v1/pets';
export const GRAPHQL_LIST = 'GET /graphql?query={pets(after:0){id,name,categoryId,status}}';
export const REST_CREATE = 'POST /v1/pets';
export const GRAPHQL_CREATE = 'POST /graphql';

/** An animal that a load adds. Its name is unique and identifies its caller. */
type NewAnimal = Omit<Animal, 'id'>;

interface Call {
  readonly call: string;
  /** Whether the list starts at the caller's latest animal; otherwise, all callers read the same list. */
  readonly isOfNewest?: true;
  /** The body of a call that adds an animal. */
  readonly body?: (animal: NewAnimal) => object;
  /** Whether it is sent with an idempotency key, and resent until it succeeds. */
  readonly repeated?: true;
  readonly header?: true;
  /** Whether its connection is closed after the response, so that the next request opens a new one. */
  readonly isLast?: true;
}

const rest = (animal: NewAnimal) => animal;
const graphql = (input: NewAnimal) => ({ query: CREATE, variables: { input } });
const withArgument = (input: NewAnimal) => ({
  query: CREATE,
  variables: { input, key: input.name },
});

/** The calls that a caller makes in turn. */
const CALLS: readonly Call[] = [
  { call: REST_CREATE, body: rest, isLast: true },
  { call: REST_LIST, isLast: true },
  { call: REST_CREATE, body: rest, repeated: true, header: true },
  { call: GRAPHQL_CREATE, body: graphql, isLast: true },
  { call: GRAPHQL_LIST, isOfNewest: true },
  { call: GRAPHQL_CREATE, body: graphql, repeated: true, header: true },
  { call: GRAPHQL_CREATE, body: withArgument, repeated: true },
];

const CALLERS = 20;

/** The pause in milliseconds after a rejected call. */
const PAUSE = 20;

/** The time in milliseconds within which all repeatable calls have to succeed at the end. */
const REPEAT_TIMEOUT = 10_000;

export type Load = ReturnType<typeof startLoad>;

/** A response to one of a load's calls. */
interface LoadAnswer extends Answer {
  /** The animal that was to be added, if any. */
  readonly animal: NewAnimal | undefined;
  /** The id after which a list begins. */
  readonly after: number;
}

let loads = 0;

/**
 * Starts callers that send one request after the other to both APIs, as fast as they are answered, until the test is
 * over.
 *
 * @param url the service's URL, or a function that returns its current URL
 * @param callerCount by default, two for each connection in a pool
 */
export function startLoad(url: string | (() => string), key: string, callerCount = CALLERS) {
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
      const { body, isOfNewest = false, repeated = false, header = false, isLast = false } = kind;
      const after = isOfNewest ? Math.max(0, lastId - 1) : 0;
      const call = kind.call.replace('after:0', `after:${after}`);
      if (animal !== undefined) {
        ledger.asked(animal.name, { repeatable: repeated });
      }
      const address = typeof url === 'string' ? url : url();
      const sent = animal && body?.(animal);
      const headers = {
        ...(header && animal && { 'Idempotency-Key': animal.name }),
        ...(isLast && { Connection: 'close' }),
      };
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
        const categoryId = turn * CALLS.length + index;
        const status = STATUSES[categoryId % STATUSES.length] ?? 'available';
        const next = { name: `${load}-${caller}-${categoryId}`, categoryId, status };
        await send(kind, undone.get(kind) ?? (kind.body && next));
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

  /** Waits for responses to calls in flight, repeats unfinished calls until they succeed, and ends. */
  const end = async (): Promise<void> => {
    ending.abort();
    await callers;
  };
  // A load also ends when its test fails; otherwise, it would continue during the next test.
  onTestFinished(end);
  return {
    /** The responses so far. */
    answers,
    /**
     * Resolves when every caller has received as many more responses with these statuses as there are calls; with a
     * method, only its calls count.
     */
    allAnswered: (statuses: readonly number[], method?: 'GET' | 'POST') =>
      new Promise<void>((resolve) => {
        const missing = Array.from({ length: callerCount }, () => CALLS.length);
        notice = (caller, { call, status }) => {
          const counts = statuses.includes(status) && call.startsWith(method ?? '');
          missing[caller] = (missing[caller] ?? 0) - (counts ? 1 : 0);
          if (missing.every((count) => count <= 0)) {
            resolve();
          }
        };
      }),
    /** Resolves when any caller receives this status. */
    answered: (status: number) =>
      new Promise<void>((resolve) => {
        notice = (_caller, answer) => {
          if (answer.status === status) {
            resolve();
          }
        };
      }),
    end,
    /**
     * Returns what is wrong with the responses of a load that has ended, and with the animals in a database.
     *
     * @param isOthers whether an animal with this name was sent by another client; none by default
     */
    faultsIn: async (
      databaseUrl: string,
      isOthers: (name: string) => boolean = () => false,
    ): Promise<string[]> => {
      const stored = await storedIn(databaseUrl);
      const own = stored.filter(({ name }) => !isOthers(name));
      return [
        ...ledger.faults(own.map(({ id, name }) => ({ id: String(id), name }))),
        ...faultsOfAnswers(answers, stored, isOthers),
      ];
    },
    [Symbol.asyncDispose]: end,
  };
}

async function storedIn(databaseUrl: string): Promise<Animal[]> {
  const client = await connectClient(databaseUrl);
  const { rows } = await client.query<Animal>(
    'SELECT id::int, name, category_id::int AS "categoryId", status FROM pets',
  );
  return rows;
}

/** A response, and the animals in it. */
interface Told {
  readonly answer: LoadAnswer;
  readonly told: readonly Animal[];
}

/** The default length of a list. */
const PAGE = 20;

/**
 * Returns what is wrong, in words, with the responses or with the animals stored at the end. Each animal should be as a
 * caller or another client sent it, every animal in a response should be stored, and a list should have every animal on
 * its page that was acknowledged before the list was requested.
 *
 * @param isOthers whether an animal with this name was sent by another client
 */
function faultsOfAnswers(
  answers: readonly LoadAnswer[],
  stored: readonly Animal[],
  isOthers: (name: string) => boolean,
): string[] {
  const sent = new Set(answers.map(({ animal }) => animal && withoutId(animal)));
  const there = new Set(stored.map(inWords));
  const done = answers
    .filter(({ status }) => SUCCESS_STATUSES.includes(status))
    .map((answer) => ({ answer, told: animalsIn(answer) }));
  const additions = done.filter(({ answer }) => answer.animal !== undefined);
  const lists = done.filter(({ answer }) => answer.animal === undefined);
  return [
    ...stored
      .filter((animal) => !sent.has(withoutId(animal)) && !isOthers(animal.name))
      .map((animal) => `nobody sent ${inWords(animal)}`),
    ...done.flatMap(({ answer, told }) =>
      told
        .map(inWords)
        .filter((animal) => !there.has(animal))
        .map((animal) => `${answer.call} told of ${animal}: not there`),
    ),
    ...additions
      .filter(({ answer, told }) => told.map(({ name }) => name).join() !== answer.animal?.name)
      .map(
        ({ answer: { call, animal }, told }) =>
          `${call} of ${animal?.name} told of [${told.map(inWords).join(', ')}]`,
      ),
    ...lists.flatMap(missingIn(additions)),
  ];
}

/** Returns a function that reports acknowledged animals that a list omits. */
function missingIn(additions: readonly Told[]): (list: Told) => string[] {
  const known = additions
    .flatMap(({ answer, told }) => told.map(({ id }) => ({ id, since: answeredAt(answer) })))
    .toSorted((a, b) => a.id - b.id);
  return ({ answer: { call, asked, after }, told }) => {
    // Animals that do not follow `after` do not belong to the page.
    const ids = new Set(told.map(({ id }) => id).filter((id) => id > after));
    const last = ids.size < PAGE ? Infinity : Number(told.at(-1)?.id);
    const missing: number[] = [];
    for (const { id, since } of known) {
      if (id > last) {
        break;
      }
      if (id > after && since < asked && !ids.has(id)) {
        missing.push(id);
      }
    }
    return missing.length === 0
      ? []
      : [`${call} told of [${told.map(({ id }) => id).join()}] without ${missing.join()}`];
  };
}

function withoutId({ name, categoryId, status }: NewAnimal): string {
  return `${name} of category ${categoryId}, ${status}`;
}

function inWords(animal: Animal): string {
  return `${animal.id} ${withoutId(animal)}`;
}
