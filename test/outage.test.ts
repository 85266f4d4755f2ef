import { afterAll, expect, test } from 'vitest';
import { generateApiKey } from '../src/auth/api-key.ts';
import {
  AWAY,
  formsOf,
  GRAPHQL_503,
  PATIENCE,
  REST_503,
  slowestOf,
  WELL,
} from './support/load-answers.ts';
import { createDatabase } from './support/database.ts';
import { ask, GOOD, startLoad } from './support/load.ts';
import { startOutagePostgres } from './support/outage-postgres.ts';
import { firstKey, startService } from './support/service.ts';

const postgres = await startOutagePostgres();
afterAll(() => postgres[Symbol.asyncDispose]());

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
  'while a database that $what is away all is 503 within 2 s, and then well again, with nothing lost or twice',
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
    expect(formsOf(answers)).toEqual([...WELL, ...AWAY].toSorted());
    expect(formsOf(refusals)).toEqual([
      `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
      `GET /v1/pets ${REST_503}`,
    ]);
    expect(slowestOf([...answers, ...refusals])).toBeLessThan(PATIENCE);
    const afterwards = answers.filter(({ asked }) => asked > back);
    expect(afterwards.filter(({ status }) => status === 503)).toEqual([]);
    expect(await load.faultsIn(databaseUrl)).toEqual([]);
  },
);
