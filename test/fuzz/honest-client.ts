import { graphqlAnimal, restAnimal, WHOLE_ANIMAL } from '../support/animals.ts';
import { createHonestClient } from '../support/node-request.ts';
import type { StoredAnimal, Sent } from './audit.ts';
import type { Period } from './fuzzed-service.ts';
import { refusesForLoad } from './oracle.ts';
import { ANSWER_TIMEOUT, type Target } from './send-exchange.ts';

export interface HonestReport extends Sent {
  readonly calls: number;
  /** The slowest call. */
  readonly slowest: Period;
  /** The number of calls that were rejected because of load. */
  readonly refusedForLoad: number;
  /** Descriptions of wrong responses. */
  readonly faults: readonly string[];
}

const CREATE = `mutation ($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`;
const READ = `query ($id: ID!, $after: ID!) {
  pet(id: $id) ${WHOLE_ANIMAL}
  pets(after: $after, limit: 1) ${WHOLE_ANIMAL}
}`;

/**
 * Adds animals through both APIs, one call at a time, and reads each animal in every way, until the signal aborts.
 *
 * @param run a part of the names of its animals
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

  /** Returns the response, or undefined if it rejects the call because of load; limits.ts limits the share of these. */
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
  const expectAnswer = (what: string, answer: string | undefined, expected: string) => {
    if (answer !== undefined && answer !== expected) {
      faults.push(`${what} is answered with ${answer.slice(0, 500)}, not ${expected}`);
    }
  };

  for (let turn = 0; !ended.aborted && faults.length === 0; turn += 1) {
    const isRest = turn % 2 === 0;
    const categoryId = isRest ? '7' : '9007199254740993';
    const animal = { name: `honest ${run} ${turn} 🐈"\\`, categoryId, status: 'sold' };
    const answer = isRest
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
    const created = isRest ? `201 ${rest}` : `200 ${JSON.stringify({ data: { createPet: pet } })}`;
    expectAnswer('an addition', answer, created);
    if (faults.length > 0) break;
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
