import { openDatabase } from '../support/store-database.ts';
import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { requestOf } from '../support/gateway.ts';
import { sendNamed } from '../support/named-request.ts';
import { firstKey, startPatientService } from '../support/service.ts';

const DATABASE_URL = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
const database = openDatabase(DATABASE_URL);
onFileFinished(() => database.$disconnect());
const first = await startPatientService({ DATABASE_URL });
const key = await firstKey(first);
const second = await startPatientService({ DATABASE_URL });
const processes = [first, second].map(({ url }) => ({ key, request: requestOf(url, key) }));

/** Asks this many times for the same animal, by each of the processes in turn. */
async function sendMany(name: string, times: number) {
  const body = `{"name":"${name}","categoryId":1}`;
  const targets = Array.from({ length: times / processes.length }, () => processes).flat();
  const answers = await Promise.all(
    targets.map((target) => sendNamed(target, { key: name, body })),
  );
  return answers.map(({ status, text }) => ({ status, text }));
}

test('a request that is sent to several processes many times, at once and again, adds one animal', async () => {
  const name = randomUUID();
  const atOnce = await sendMany(name, 80);
  const again = await sendMany(name, 2);
  const [answer] = atOnce;
  expect(answer?.status).toBe(201);
  expect([...atOnce, ...again]).toEqual(Array.from({ length: 82 }, () => answer));
  expect(await database.pet.count({ where: { name } })).toBe(1);
});
