import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCluster, stopServer } from '../../packages/local/src/embedded/server.ts';
import { answeredAt, SUCCESS_STATUSES } from '../support/ask.ts';
import { keptForFile } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { newDatabase } from '../support/new-database.ts';
import { embeddedPostgres } from '../support/embedded-postgres.ts';
import {
  formsOf,
  HEALTHY_ANSWERS,
  overdue,
  refusedSince,
  UNAVAILABLE_ANSWERS,
} from '../support/load-answers.ts';
import { startLoad } from '../support/load.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { firstKey, startService } from '../support/service.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { surviveOutage } from './support/outage.ts';

const KILLS = 2;

const ownDirectory = keptForFile(await temporaryDirectory());
const stalls = keptForFile(await measureStalls());
const newDataDirectory = () => join(ownDirectory.path, randomUUID());

test.each([
  { what: 'with an external PostgreSQL', isEmbedded: false, isDatabaseKilled: false },
  { what: 'whose embedded PostgreSQL survives', isEmbedded: true, isDatabaseKilled: false },
  { what: 'whose embedded PostgreSQL is killed with it', isEmbedded: true, isDatabaseKilled: true },
])(
  'a gateway $what that is killed under load and restarted does not lose or duplicate an animal',
  async ({ isEmbedded, isDatabaseKilled }) => {
    const dataDirectory = newDataDirectory();
    const url = isEmbedded ? undefined : await newDatabase();
    const env = url === undefined ? { DATA_DIR: dataDirectory } : { DATABASE_URL: url };
    await using ending = new AsyncDisposableStack();
    if (isEmbedded) {
      ending.defer(async () => stopServer(await openCluster(dataDirectory, EMBEDDED)));
    }
    let service = await startService(env);
    ending.defer(() => service[Symbol.asyncDispose]());
    const load = ending.use(startLoad(() => service.url, await firstKey(service)));
    const absences: { readonly from: number; readonly to: number }[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await load.allAnswered(SUCCESS_STATUSES);
      const from = performance.now();
      service.child.kill('SIGKILL');
      if (isDatabaseKilled) await (await embeddedPostgres(dataDirectory)).crash();
      await service.child.exit;
      service = await startService(env);
      absences.push({ from, to: performance.now() });
    }
    const back = performance.now();
    await load.allAnswered(SUCCESS_STATUSES);
    await load.end();

    const afterwards = load.answers.filter(({ asked, status }) => asked > back && status !== 503);
    expect(formsOf(afterwards)).toEqual(HEALTHY_ANSWERS);
    expect(await refusedSince(back, load.answers, stalls)).toEqual([]);
    // A killed process can't answer. Every other request gets a complete response in time.
    const answered = load.answers.filter(
      (answer) =>
        answer.status !== 0 ||
        !absences.some(({ from, to }) => answeredAt(answer) > from && answer.asked < to),
    );
    expect([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS]).toEqual(
      expect.arrayContaining(formsOf(answered)),
    );
    expect(await overdue(answered, stalls)).toEqual([]);
    const databaseUrl = url ?? (await embeddedPostgres(dataDirectory)).url;
    expect(await load.faultsIn(databaseUrl)).toEqual([]);
  },
);

test('a service restarts its embedded PostgreSQL after a kill, and recovers within 2 s of the restart', async () => {
  const dataDirectory = newDataDirectory();
  await using service = await startService({ DATA_DIR: dataDirectory });
  const postgres = await embeddedPostgres(dataDirectory);
  const key = await firstKey(service);
  for (let kill = 0; kill < KILLS; kill += 1) {
    await (await connectClient(postgres.url)).query('DELETE FROM pets');
    const { answers } = await surviveOutage({
      url: service.url,
      key,
      databaseUrl: postgres.url,
      begin: async () => {
        await postgres.crash();
        return postgres.answers;
      },
      meanwhile: async () => [],
    });
    // Whether requests are rejected depends on how soon PostgreSQL is back.
    expect([...HEALTHY_ANSWERS, ...UNAVAILABLE_ANSWERS]).toEqual(
      expect.arrayContaining(formsOf(answers)),
    );
  }
});
