import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { generateApiKey } from '../src/auth/api-key.ts';
import { createDatabase } from './support/database.ts';
import { errorBody, graphqlErrorBody } from './support/error-body.ts';
import { ask, startLoad, type Answer } from './support/load.ts';
import { startOutagePostgres } from './support/outage-postgres.ts';
import { firstKey, startService } from './support/service.ts';

/** Milliseconds within which a caller hears of a database that does not answer. */
const PATIENCE = 2000;
const GOOD = [200, 201];
const MESSAGE = 'The service cannot reach its database right now. Please try again.';
const REST_503 = `503 1 ${errorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;
const GRAPHQL_503 = `503 1 ${graphqlErrorBody(503, 'SERVICE_UNAVAILABLE', MESSAGE)}`;

const postgres = await startOutagePostgres();
afterAll(() => postgres[Symbol.asyncDispose]());

/** An answer without what differs from one to the next. */
function form({ call, status, retryAfter, text }: Answer): string {
  const told = text
    .replaceAll(/"id":("?)\d+"?/g, '"id":$11$1')
    .replaceAll(/"name":"[^"]+"/g, '"name":"Rex"')
    .replace(/\[\{"id.*\]/, '[]')
    .replace(/"locations":\[[^\]]+\],"path":\["\w+"\],/, '');
  return `${call} ${status} ${retryAfter} ${told}`;
}

async function namesIn(databaseUrl: string): Promise<string[]> {
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM pets');
  await client.end();
  return rows.map(({ name }) => name);
}

test.each([
  {
    what: 'crashes and is started again',
    goAway: postgres.crash,
    comeBack: postgres.start,
  },
  {
    what: 'freezes and thaws',
    goAway: postgres.freeze,
    comeBack: postgres.thaw,
  },
])(
  'while a database that $what is away all is 503 within 2 s, and then well again, with nothing lost',
  async ({ goAway, comeBack }) => {
    const databaseUrl = await createDatabase(postgres.url);
    await using service = await startService({ DATABASE_URL: databaseUrl });
    await using load = startLoad(service.url, await firstKey(service));
    await load.allAnswered(GOOD);
    await goAway();
    await load.allAnswered([503]);
    // A key that is not remembered.
    const unknown = ['GET /v1/pets', 'GET /graphql?query={pets{id}}'].map((call) =>
      ask(service.url, generateApiKey(), call),
    );
    const refusals = await Promise.all(unknown);
    await comeBack();
    const back = performance.now();
    await load.allAnswered(GOOD);
    await load.end();

    const { answers } = load;
    expect([...new Set(answers.map(form))].toSorted()).toEqual([
      'GET /graphql?query={pets{id}} 200 null {"data":{"pets":[]}}',
      `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
      'GET /v1/pets 200 null []',
      `GET /v1/pets ${REST_503}`,
      'POST /graphql 200 null {"data":{"createPet":{"id":"1"}}}',
      `POST /graphql ${GRAPHQL_503}`,
      'POST /v1/pets 201 null {"id":1,"name":"Rex","categoryId":1,"status":"available"}',
      `POST /v1/pets ${REST_503}`,
    ]);
    expect(refusals.map(form)).toEqual([
      `GET /v1/pets ${REST_503}`,
      `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
    ]);
    const slowest = Math.max(...[...answers, ...refusals].map(({ milliseconds }) => milliseconds));
    expect(slowest).toBeLessThan(PATIENCE);
    const afterwards = answers.filter(({ asked }) => asked > back);
    expect(afterwards.filter(({ status }) => status === 503)).toEqual([]);

    // What was told to be added is there; what was not told may be there or not, but nothing twice.
    const names = await namesIn(databaseUrl);
    const acknowledged = answers.filter(
      ({ call, status }) => call.startsWith('POST') && GOOD.includes(status),
    );
    expect(acknowledged.filter(({ name }) => !names.includes(name))).toEqual([]);
    expect(names).toHaveLength(new Set(names).size);
  },
);
