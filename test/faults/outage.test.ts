import { generateApiKey } from '../support/store-database.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { overdue, refusedSince } from '../support/answer-times.ts';
import { ask, SUCCESS_STATUSES } from '../support/ask.ts';
import { createDatabase } from '../support/database.ts';
import {
  formsOf,
  GRAPHQL_503,
  HEALTHY_ANSWERS,
  REST_503,
  UNAVAILABLE_ANSWERS,
} from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startOutagePostgres } from '../support/outage-postgres.ts';
import { firstKey, startService } from '../support/service.ts';

const postgres = await startOutagePostgres();
const stalls = await measureStalls();
afterAll(async () => {
  await stalls[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

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
    await load.allAnswered(SUCCESS_STATUSES);
    onTestFinished(comeBack);
    await goAway();
    await load.allAnswered([503]);
    // A key that is not remembered.
    const unknown = ['GET /v1/pets', 'GET /graphql?query={pets{id}}'].map((call) =>
      ask(service.url, generateApiKey(), call),
    );
    const refusals = await Promise.all(unknown);
    await comeBack();
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    const { answers } = load;
    expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
    expect(formsOf(refusals)).toEqual([
      `GET /graphql?query={pets{id}} ${GRAPHQL_503}`,
      `GET /v1/pets ${REST_503}`,
    ]);
    expect(await overdue([...answers, ...refusals], stalls)).toEqual([]);
    expect(await refusedSince(back, answers, stalls)).toEqual([]);
    expect(await load.faultsIn(databaseUrl)).toEqual([]);
  },
);
