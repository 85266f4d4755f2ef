import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startFuzzedService } from './fuzzed-service.ts';
import { keptCases } from './keep-case.ts';
import { faultsOf } from './oracle.ts';
import { sendExchange } from './send-exchange.ts';

/** What depends on who is faster is not seen each time. */
const REPLAYS = 10;

const service = await startFuzzedService(
  await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
);
afterAll(() => service[Symbol.asyncDispose]());

test.each(await keptCases())('%s is a fault no more', async (_name, exchange) => {
  for (let replays = 0; replays < REPLAYS; replays += 1) {
    const faults = faultsOf(exchange, await sendExchange(exchange, service));
    expect([...faults, ...service.faults()]).toEqual([]);
  }
});
