import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isOfLoad } from './judge.ts';
import type { Target } from './send-exchange.ts';

export interface HonestReport {
  readonly calls: number;
  /** Of all answers, in milliseconds. */
  readonly slowest: number;
  /** How many calls were not answered for the load that there was. */
  readonly ofLoad: number;
  /** The names of animals of which it wasn't told whether they were added. */
  readonly unsure: ReadonlySet<string>;
  /** What it was told that isn't so. */
  readonly faults: readonly string[];
  /** The ids of the animals that it has added, and their names. */
  readonly added: ReadonlyMap<string, string>;
}

const CREATE =
  'mutation ($input: NewPet!) { createPet(input: $input) { id name categoryId status } }';
const READ = `query ($id: ID!, $after: ID!) {
  pet(id: $id) { id name categoryId status }
  pets(after: $after, limit: 1) { id name categoryId status }
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
  const agent = new Agent({ keepAlive: true });
  const added = new Map<string, string>();
  const unsure = new Set<string>();
  const faults: string[] = [];
  let calls = 0;
  let ofLoad = 0;
  let slowest = 0;

  const call = async (method: string, path: string, body?: object): Promise<string | undefined> => {
    const started = performance.now();
    const answer = await answerTo({ port, path, method, agent, key }, body);
    calls += 1;
    slowest = Math.max(slowest, performance.now() - started);
    if (isOfLoad({ body: Buffer.from(answer) })) {
      ofLoad += 1;
      return undefined;
    }
    return answer;
  };
  const expectAnswer = (what: string, answer: string | undefined, expected: string) => {
    if (answer !== undefined && answer !== expected) {
      faults.push(`${what} is answered with ${answer.slice(0, 500)}, not ${expected}`);
    }
  };

  for (let turn = 0; !ended.aborted && faults.length === 0; turn += 1) {
    const animal = {
      name: `honest ${run} ${turn} 🐈"\\`,
      categoryId: '9007199254740993',
      status: 'sold',
    };
    const byRest = turn % 2 === 0;
    const answer = byRest
      ? await call('POST', '/v1/pets', { ...animal, categoryId: 7 })
      : await call('POST', '/graphql', { query: CREATE, variables: { input: animal } });
    if (answer === undefined) {
      unsure.add(animal.name);
      continue;
    }
    const [, id = ''] = /"id":"?(\d+)/.exec(answer) ?? [];
    const written = byRest ? { ...animal, categoryId: '7' } : animal;
    const told = { id, ...written };
    const rest = `{"id":${id},"name":${JSON.stringify(told.name)},"categoryId":${told.categoryId},"status":"sold"}`;
    expectAnswer(
      'an addition',
      answer,
      byRest ? `201 ${rest}` : `200 ${JSON.stringify({ data: { createPet: told } })}`,
    );
    added.set(id, told.name);

    const after = String(Number(id) - 1);
    expectAnswer('an animal', await call('GET', `/v1/pets/${id}`), `200 ${rest}`);
    expectAnswer('a list', await call('GET', `/v1/pets?limit=1&after=${after}`), `200 [${rest}]`);
    expectAnswer(
      'a query',
      await call('POST', '/graphql', { query: READ, variables: { id, after } }),
      `200 ${JSON.stringify({ data: { pet: told, pets: [told] } })}`,
    );
  }
  agent.destroy();
  return { calls, ofLoad, slowest, faults, added, unsure };
}

interface Call {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly agent: Agent;
  readonly key: string;
}

/** The status and the body; or what went wrong. */
async function answerTo({ key, ...call }: Call, body?: object): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ ...call, host: '127.0.0.1', headers })
        .once('response', resolve)
        .once('error', reject)
        .end(body && JSON.stringify(body));
    });
    return `${response.statusCode} ${await text(response)}`;
  } catch (error) {
    return String(error);
  }
}
