import { openDatabase } from '../support/store-database.ts';
import { Agent } from 'node:http';
import { expect, inject, test } from 'vitest';
import { createKey } from '../support/keys.ts';
import { ask } from '../support/ask.ts';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startPatientService } from '../support/service.ts';
import { createStoreHistory } from '../support/store-history/history.ts';
import type { Read } from '../support/store-reads.ts';
import { requestFor, type Request } from '../support/store-requests.ts';
import type { Write } from '../support/store-schedule.ts';
import { createWriter } from '../support/store-writer.ts';
import { askAlone, workersOf } from '../support/workers.ts';

/* What workers share is in the database: so what one knows, the others know. */
const QUOTA = 60;
const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const database = openDatabase(databaseUrl);
onFileFinished(() => database.$disconnect());
const service = await startPatientService({
  WORKERS: '3',
  DATABASE_URL: databaseUrl,
  // As one burst: it comes back in 16 hours.
  RATE_LIMIT: `${QUOTA}/60000s`,
});
const newKey = async () => (await createKey(database)).key;

const READS: readonly Read[] = [
  { by: 'GET /v1/pets', status: undefined, limit: 100, after: undefined },
  { by: 'petsConnection', status: 'available', limit: 100, after: undefined },
];

/** An animal more, a change of an older one by two clients at once, and now and then a removal. */
function writesOf(round: number): readonly Write[] {
  const wanted: Write = {
    gateway: 0,
    by: round % 2 === 0 ? 'REST' : 'GraphQL',
    does: 'create',
    animal: round,
    status: 'available',
    leaves: undefined,
    isConditional: true,
    rivals: 2,
    isRepeated: false,
  };
  const change: Write = { ...wanted, does: 'change', status: 'pending' };
  return [wanted, round % 4 === 3 ? { ...wanted, does: 'remove' } : change];
}

test('what a client was told of by any worker, no later read by any worker misses', async () => {
  const history = createStoreHistory(0);
  const write = createWriter(history, 0);
  const send = async (key: string, request: Request) => {
    const asked = history.ask(0, request);
    const { call, body, headers } = request;
    history.heard(asked, await ask(service.url, key, call, body, headers));
  };
  const readAll = (key: string) =>
    Array.from({ length: 10 }, async (_, index) => {
      const read = READS[index % READS.length];
      if (read !== undefined) await send(key, requestFor(read, 0));
    });
  for (let round = 0; round < 10; round += 1) {
    const key = await newKey();
    const early = readAll(key);
    await Promise.all(
      writesOf(round).map((wanted) => write(wanted, (_turn, request) => send(key, request))),
    );
    await Promise.all([...early, ...readAll(key)]);
  }
  const { faults, checks } = history.verdict();
  expect(faults).toEqual([]);
  expect(checks).toBeGreaterThan(500);
  // That they are several.
  expect(new Set(await workersOf(service, 3)).size).toBe(3);
});

test('what a key has used up in one worker, it has used up in all', async () => {
  const headers = { Authorization: `Bearer ${await newKey()}` };
  let accepted = 0;
  const status = async (agent?: Agent) => {
    const { statusCode } = await askAlone(`${service.url}/v1/pets`, headers, agent);
    accepted += statusCode === 200 ? 1 : 0;
    return statusCode;
  };
  // One connection is one worker.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while ((await status(agent)) === 200);
  agent.destroy();
  expect(accepted).toBe(QUOTA);
  // A worker hears of it with what it has counted itself, within 500 ms.
  const three = async () => [await status(), await status(), await status()];
  await expect.poll(three, { interval: 300 }).toEqual([429, 429, 429]);
  // By themselves, they would have accepted three quotas.
  expect(accepted).toBeLessThan(2 * QUOTA);
});
