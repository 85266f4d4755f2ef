import { openDatabase } from '../support/store-database.ts';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { firstKey, startService } from '../support/service.ts';

const CLIENTS = 20;

/** Number of responses after which all clients have begun. */
const HAVE_BEGUN = 200;

test('clients that add animals while a service stops lose none, and each receives its last response', async () => {
  const databaseUrl = await newDatabase();
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
  const haveBegun = Promise.withResolvers<void>();
  let answered = 0;
  /** Adds animals on one connection until a response closes it. Resolves to all statuses. */
  const addUntilClosed = async (): Promise<(number | undefined)[]> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses = new Set<number | undefined>();
    for (;;) {
      const answer = await post(agent);
      await text(answer);
      statuses.add(answer.statusCode);
      answered += 1;
      if (answered === HAVE_BEGUN) {
        haveBegun.resolve();
      }
      if (answer.headers.connection === 'close') {
        agent.destroy();
        return [...statuses];
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, addUntilClosed);
  await Promise.race([haveBegun.promise, Promise.all(clients)]);
  service.child.kill('SIGTERM');
  expect((await Promise.all(clients)).flat()).toEqual(clients.map(() => 201));
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  const database = openDatabase(databaseUrl);
  expect(await database.pet.count()).toBe(answered);
  await database.$disconnect();
});
