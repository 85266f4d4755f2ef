import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { startLoad } from '../support/load.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { HOST, startHAProxy, type ServerName } from './support/haproxy.ts';

const ENDED_WELL = { code: 0, signal: null };

test('no request fails while two processes behind HAProxy are replaced one after the other, twice', async () => {
  const databaseUrl = await newDatabase();
  const start = (port: string) =>
    startPatientService({ DATABASE_URL: databaseUrl, HOST, PORT: port, RATE_LIMIT: 'off' });
  const first = await start('0');
  const services = { one: first, two: await start('0') };
  const key = await firstKey(first);
  const proxy = await startHAProxy({ one: services.one.url, two: services.two.url });
  await proxy.becomes('UP', 'one');
  await proxy.becomes('UP', 'two');

  await using load = startLoad(proxy.url, key);
  const restarted: readonly ServerName[] = ['one', 'two', 'one', 'two'];
  for (const name of restarted) {
    await load.allAnswered(SUCCESS_STATUSES);
    const { child, url } = services[name];
    child.kill('SIGTERM');
    expect(await child.exit).toEqual(ENDED_WELL);
    // The process received its share of the load.
    expect(child.stdout()).toContain('"status":201');
    services[name] = await start(new URL(url).port);
    await proxy.becomes('UP', name);
  }
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();

  expect(load.answers.filter(({ status }) => !SUCCESS_STATUSES.includes(status))).toEqual([]);
  expect(await load.faultsIn(databaseUrl)).toEqual([]);
});
