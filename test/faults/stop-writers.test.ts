import { openDatabase } from '../support/store-database.ts';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { firstKey, startService } from '../support/service.ts';

const CLIENTS = 20;

/** Answers by which all clients are at work. */
const AT_WORK = 200;

test('clients that add animals while a service stops lose none, and hear which answer is the last', async () => {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  await using service = await startService({ DATABASE_URL: databaseUrl });
  const headers = {
    Authorization: `Bearer ${await firstKey(service)}`,
    'Content-Type': 'application/json',
  };
  const post = (agent: Agent) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(`${service.url}/v1/pets`, { method: 'POST', headers, agent })
        .once('response', resolve)
        .once('error', reject)
        .end('{"name":"Rex","categoryId":1}');
    });
  const atWork = Promise.withResolvers<void>();
  let answered = 0;
  /** Adds animals on one connection until told that it was the last; resolves to all statuses. */
  const addUntilToldToStop = async (): Promise<(number | undefined)[]> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses = new Set<number | undefined>();
    for (;;) {
      const answer = await post(agent);
      await text(answer);
      statuses.add(answer.statusCode);
      answered += 1;
      if (answered === AT_WORK) {
        atWork.resolve();
      }
      if (answer.headers.connection === 'close') {
        agent.destroy();
        return [...statuses];
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, addUntilToldToStop);
  await Promise.race([atWork.promise, Promise.all(clients)]);
  service.child.kill('SIGTERM');
  expect((await Promise.all(clients)).flat()).toEqual(clients.map(() => 201));
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  const database = openDatabase(databaseUrl);
  expect(await database.pet.count()).toBe(answered);
  await database.$disconnect();
});
