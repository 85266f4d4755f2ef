import { expect, test } from 'vitest';
import { ask, SUCCESS_STATUSES } from '../support/ask.ts';
import { keptForFile } from '../support/clean-up.ts';
import { createDatabase } from '../support/database.ts';
import { errorBody } from '../support/error-body.ts';
import { formsOf, HEALTHY_ANSWERS, UNAVAILABLE_ANSWERS } from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { startOutagePostgres } from '../support/embedded-postgres.ts';
import { firstKey, startService } from '../support/service.ts';
import { HOST, startHAProxy } from './support/haproxy.ts';

/** Starts two gateways behind HAProxy, on a database that can be made unavailable, until the file's tests are over. */
async function startStore() {
  const postgres = keptForFile(await startOutagePostgres());
  const databaseUrl = await createDatabase(postgres.url);
  const start = () => startService({ DATABASE_URL: databaseUrl, HOST, RATE_LIMIT: 'off' });
  const services = [await start(), await start()] as const;
  const [one, two] = services;
  const proxy = await startHAProxy({ one: one.url, two: two.url });
  const bothBecome = (status: 'UP' | 'DOWN') =>
    Promise.all([proxy.becomes(status, 'one'), proxy.becomes(status, 'two')]);
  await bothBecome('UP');
  const key = await firstKey(one);
  return { postgres, databaseUrl, services, proxy, key, bothBecome };
}

test.each([
  { what: 'crashed', away: 'crash', back: 'start' },
  { what: 'frozen', away: 'freeze', back: 'thaw' },
] as const)(
  "while the database is $what, HAProxy forwards the contract's 503, and recovers afterwards",
  async ({ away, back }) => {
    const store = await startStore();
    const { postgres, proxy, bothBecome } = store;
    await using load = startLoad(proxy.url, store.key);
    await load.allAnswered(SUCCESS_STATUSES);
    await postgres[away]();
    await bothBecome('DOWN');
    const down = performance.now();
    await load.allAnswered([503]);
    await load.allAnswered([503]);
    const returning = performance.now();
    await postgres[back]();
    await load.allAnswered(SUCCESS_STATUSES);
    await bothBecome('UP');
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    const { answers } = load;
    expect(formsOf(answers)).toEqual([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS].toSorted());
    const whileDown = answers.filter(
      ({ asked, milliseconds }) => asked > down && asked + milliseconds < returning,
    );
    expect(new Set(whileDown.map(({ status }) => status))).toEqual(new Set([503]));
    expect(await load.faultsIn(store.databaseUrl)).toEqual([]);
  },
);

test("HAProxy itself responds with the contract's 503 if no gateway is available", async () => {
  const store = await startStore();
  for (const { child } of store.services) {
    child.kill('SIGKILL');
    await child.exit;
  }
  await store.bothBecome('DOWN');
  const { status, retryAfter, text } = await ask(store.proxy.url, store.key, 'GET /v1/pets');
  expect({ status, retryAfter, text }).toEqual({
    status: 503,
    retryAfter: '1',
    text: errorBody(503, 'SERVICE_UNAVAILABLE', 'The service is unavailable. Please try again.'),
  });
});
