import { request } from 'node:http';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { SUCCESS_STATUSES } from '../support/ask.ts';
import { startLoad } from '../support/load.ts';
import { firstKey, startService } from '../support/service.ts';
import { HOST, startHAProxy, type ServerName } from './support/haproxy.ts';

const ENDED_WELL = { code: 0, signal: null };

/** Sends a POST on a connection of its own; resolves to its status, or to what went wrong. */
function postAlone(url: string, key: string, name: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    request(`${url}/v1/pets`, { method: 'POST', headers, agent: false })
      .once('error', (error) => {
        resolve(error.message);
      })
      .once('response', (answer) => {
        answer.resume().once('end', () => {
          resolve(answer.statusCode ?? 0);
        });
      })
      .end(JSON.stringify({ name, categoryId: 1 }));
  });
}

/** Callers who make a connection for each animal that they add, until they are told to end, or the test is over. */
function startLoners(url: string, key: string) {
  const answers: { readonly name: string; readonly outcome: number | string }[] = [];
  const ending = new AbortController();
  const run = async (caller: number) => {
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const name = `loner ${caller} ${turn}`;
      answers.push({ name, outcome: await postAlone(url, key, name) });
    }
  };
  const callers = Promise.all([1, 2, 3, 4].map(run));
  const end = async () => {
    ending.abort();
    await callers;
  };
  onTestFinished(end);
  return { answers, end };
}

test('two processes behind HAProxy are replaced one after the other, twice, and no request fails', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const start = (port: string) =>
    startService({ DATABASE_URL: databaseUrl, HOST, PORT: port, RATE_LIMIT: 'off' });
  const first = await start('0');
  const services = { one: first, two: await start('0') };
  const key = await firstKey(first);
  await using proxy = await startHAProxy({ one: services.one.url, two: services.two.url });
  await proxy.becomes('UP', 'one');
  await proxy.becomes('UP', 'two');

  await using load = startLoad(proxy.url, key);
  const loners = startLoners(proxy.url, key);
  const restarted: readonly ServerName[] = ['one', 'two', 'one', 'two'];
  for (const name of restarted) {
    await load.allAnswered(SUCCESS_STATUSES);
    const { child, url } = services[name];
    child.kill('SIGTERM');
    expect(await child.exit).toEqual(ENDED_WELL);
    // That it had its share of the load.
    expect(child.stdout()).toContain('"status":201');
    services[name] = await start(new URL(url).port);
    await proxy.becomes('UP', name);
  }
  await load.allAnswered(SUCCESS_STATUSES);
  await load.end();
  await loners.end();

  expect(load.answers.filter(({ status }) => !SUCCESS_STATUSES.includes(status))).toEqual([]);
  expect(loners.answers.filter(({ outcome }) => outcome !== 201)).toEqual([]);
  const added = load.answers.filter(({ call }) => call.startsWith('POST'));
  const client = new Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM pets');
  await client.end();
  expect(rows.map(({ name }) => name).toSorted()).toEqual(
    [
      ...added.map(({ animal }) => animal?.name ?? ''),
      ...loners.answers.map(({ name }) => name),
    ].toSorted(),
  );
});
