import { graphqlAnimal, restAnimal, WHOLE_ANIMAL } from '../support/animals.ts';
import { createHonestClient } from '../support/honest-client.ts';
import { refusesForLoad } from './load-refusals.ts';
import { ANSWER_TIMEOUT } from './receive-answers.ts';
import type { Target } from './send-exchange.ts';
import type { StoredAnimal } from './stored-animal.ts';

/** From one `performance.now()` to another. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface HonestReport {
  readonly calls: number;
  /** The call that took longest. */
  readonly slowest: Period;
  /** How many calls were not answered for the load that there was. */
  readonly refusedForLoad: number;
  /** The names of animals of which it wasn't told whether they were added. */
  readonly unsure: ReadonlySet<string>;
  /** What it was told that isn't so. */
  readonly faults: readonly string[];
  /** The animals that it has added, by their ids. */
  readonly added: ReadonlyMap<string, StoredAnimal>;
}

const CREATE = `mutation ($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`;
const READ = `query ($id: ID!, $after: ID!) {
  pet(id: $id) ${WHOLE_ANIMAL}
  pets(after: $after, limit: 1) ${WHOLE_ANIMAL}
}`;

/**
 * A client of both surfaces that does what it should, one call after the other, until the signal: adds animals,
 * and reads each again every way that there is.
 *
 * @param run what tells the names of its animals from those of others
 */
export async function runHonestClient(
  { port, key }: Target,
  run: string,
  ended: AbortSignal,
): Promise<HonestReport> {
  const client = createHonestClient(`http://127.0.0.1:${port}`, key, ANSWER_TIMEOUT);
  const added = new Map<string, StoredAnimal>();
  const unsure = new Set<string>();
  const faults: string[] = [];
  let calls = 0;
  let refusedForLoad = 0;
  let slowest: Period = { from: 0, to: 0 };

  const call = async (method: string, path: string, body?: object): Promise<string | undefined> => {
    const from = performance.now();
    const { status, text } = await client.ask(method, path, body);
    calls += 1;
    const to = performance.now();
    slowest = to - from > slowest.to - slowest.from ? { from, to } : slowest;
    if (refusesForLoad({ status, body: Buffer.from(text) })) {
      refusedForLoad += 1;
      return undefined;
    }
    return status === 0 ? text : `${status} ${text}`;
  };
  // What is refused for load is counted, and judged by its share (limits.ts).
  const expectAnswer = (what: string, answer: string | undefined, expected: string) => {
    if (answer !== undefined && answer !== expected) {
      faults.push(`${what} is answered with ${answer.slice(0, 500)}, not ${expected}`);
    }
  };

  for (let turn = 0; !ended.aborted && faults.length === 0; turn += 1) {
    const byRest = turn % 2 === 0;
    const animal = {
      name: `honest ${run} ${turn} 🐈"\\`,
      categoryId: byRest ? '7' : '9007199254740993',
      status: 'sold',
    };
    const answer = byRest
      ? await call('POST', '/v1/pets', { ...animal, categoryId: 7 })
      : await call('POST', '/graphql', { query: CREATE, variables: { input: animal } });
    if (answer === undefined) {
      unsure.add(animal.name);
      continue;
    }
    const [, id = ''] = /"id":"?(\d+)/.exec(answer) ?? [];
    const told = { id, ...animal };
    const rest = restAnimal(told);
    const pet = graphqlAnimal(told);
    const created = byRest ? `201 ${rest}` : `200 ${JSON.stringify({ data: { createPet: pet } })}`;
    expectAnswer('an addition', answer, created);
    if (faults.length > 0) {
      break;
    }
    added.set(id, told);

    const after = String(Number(id) - 1);
    const asked = { query: READ, variables: { id, after } };
    const found = `200 ${JSON.stringify({ data: { pet, pets: [pet] } })}`;
    const list = `/v1/pets?limit=1&after=${after}`;
    expectAnswer('an animal', await call('GET', `/v1/pets/${id}`), `200 ${rest}`);
    expectAnswer('a list', await call('GET', list), `200 [${rest}]`);
    expectAnswer('a query', await call('POST', '/graphql', asked), found);
  }
  client.close();
  return { calls, refusedForLoad, slowest, faults, added, unsure };
}
