import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { DEFAULT_POOL_SIZE } from '../../packages/gateway/src/config/config.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { keptForFile, onFileFinished } from '../support/clean-up.ts';
import { connectClient } from '../support/connect-client.ts';
import { watchBackends } from '../support/embedded-postgres.ts';
import { newDatabase } from '../support/new-database.ts';
import { startLoad } from '../support/load.ts';
import { refusedAfter } from '../support/load-answers.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { startProxyServer } from '../support/database-proxy.ts';
import { firstKey, startService } from '../support/service.ts';

/** Milliseconds within which requests no longer fail because of dead connections. */
const RECOVERY_TIME = 5000;

/** A service that only opened new connections would leave a full pool of dead ones behind after each drop. */
const DROPS = 3;

const databaseUrl = await newDatabase();
const observer = await connectClient(databaseUrl, onFileFinished);
const stalls = keptForFile(await measureStalls());

test('connections that the network drops silently are replaced within seconds and do not pile up', async () => {
  const ends: Socket[] = [];
  await using proxy = await startProxyServer(databaseUrl, (client, database) => {
    client.pipe(database);
    database.pipe(client);
    ends.push(client, database);
  });
  // From then on, neither side receives anything from the other, not even that it closed the connection.
  const dropConnections = () => {
    for (const end of ends.splice(0)) {
      end.unpipe().removeAllListeners('close').resume();
    }
  };
  await using service = await startService({ DATABASE_URL: proxy.url });
  await using load = startLoad(service.url, await firstKey(service));
  await load.allAnswered(SUCCESS_STATUSES);
  await using watched = watchBackends(observer);
  for (let drops = 0; drops < DROPS; drops += 1) {
    const dropped = performance.now();
    dropConnections();
    await load.answered(503);
    await load.allAnswered(SUCCESS_STATUSES);
    const lastRefused = refusedAfter(dropped, load.answers).at(-1)?.asked ?? dropped;
    const recovery = lastRefused - dropped - (await stalls.totalWithin(dropped));
    expect(recovery).toBeLessThan(RECOVERY_TIME);
  }
  await load.end();

  expect(watched.most()).toBeLessThanOrEqual(DEFAULT_POOL_SIZE + 1);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
});
