import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { graphqlAnimal, restAnimal, WHOLE_ANIMAL } from '../support/animals.ts';
import { endRequest } from '../support/node-request.ts';
import { onFileFinished } from '../support/clean-up.ts';
import {
  beginPost,
  firstKey,
  logOf,
  openIdleConnection,
  startPatientService,
} from '../support/service.ts';

/*
 * One service is told to stop while many requests are in flight, and the tests examine the outcome, because each
 * shutdown needs its own process. /readyz has been polled, so busy clients have more than 2 s for their next request.
 */
const service = await startPatientService({ LOG_LEVEL: 'debug' });
const { child, url } = service;
const Authorization = `Bearer ${await firstKey(service)}`;
const REX = '{"name":"Rex","categoryId":1}';
const CREATE = `mutation { createPet(input: { name: "Rex", categoryId: 1 }) ${WHOLE_ANIMAL} }`;

/** Sends a GET, on a new connection unless an agent is given. */
const get = (path: string, agent: Agent | false = false) =>
  endRequest(
    request(url + path, { headers: { Authorization, 'X-Request-Id': path.slice(1) }, agent }),
  );

/**
 * Sends requests until a response is the last on its connection; returns all statuses. The requests need no database: a
 * statement in flight while the process is halted would time out.
 */
async function askUntilToldToStop(answered: () => void): Promise<(number | undefined)[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number | undefined>();
  for (;;) {
    const { status, connection } = await get('/graphql?query={__typename}', agent);
    statuses.add(status);
    answered();
    if (connection === 'close') {
      agent.destroy();
      return [...statuses];
    }
  }
}

/** Opens connections, which the kernel accepts while the service is halted, and sends a request on each. */
async function askWhileItStands(count: number) {
  const { host, hostname, port } = new URL(url);
  const asked = Array.from({ length: count }, async () => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(
      `GET /v1/pets HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${Authorization}\r\n\r\n`,
    );
    return socket;
  });
  return (await Promise.all(asked)).map((socket) => text(socket));
}

const atWork = Promise.withResolvers<void>();
let answers = 0;
const workers = Array.from({ length: 20 }, () =>
  askUntilToldToStop(() => {
    answers += 1;
    if (answers === 200) {
      atWork.resolve();
    }
  }),
);
await Promise.race([atWork.promise, Promise.all(workers)]);
await get('/readyz');
const keptAlive = new Agent({ keepAlive: true });
onFileFinished(async () => {
  keptAlive.destroy();
});
const begun = [
  await beginPost(service, '/v1/pets', keptAlive),
  await beginPost(service, '/graphql', keptAlive),
] as const;
const idle = text(await openIdleConnection(service));

child.kill('SIGSTOP');
const waiting = await askWhileItStands(50);
child.kill('SIGTERM');
// Ctrl-C sends the signal twice, from the terminal and from npm. A different signal is used here, because the kernel
// merges equal pending signals.
child.kill('SIGINT');
child.kill('SIGCONT');
await child.line('stdout', (line) => line.includes('"msg":"stopping"'));
// This comes first: clients have 5 s to complete their requests.
const [rest, graphql] = await Promise.all([
  endRequest(begun[0], REX),
  endRequest(begun[1], JSON.stringify({ query: CREATE })),
]);

test('both APIs answer requests in flight, each as the last on its connection', () => {
  const id = /\d+/.exec(rest.text)?.[0] ?? '';
  expect(rest).toMatchObject({ status: 201, connection: 'close', text: restAnimal({ id }) });
  const nextId = /\d+/.exec(graphql.text)?.[0] ?? '';
  const data = { createPet: graphqlAnimal({ id: nextId }) };
  expect(graphql).toMatchObject({
    status: 200,
    connection: 'close',
    text: JSON.stringify({ data }),
  });
});

test('requests on connections opened before the signal are answered, even if the service has not accepted them yet', async () => {
  for (const answer of await Promise.all(waiting)) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  }
});

test('busy clients learn which response is the last on their connection, and are never cut off', async () => {
  expect((await Promise.all(workers)).flat()).toEqual(workers.map(() => 200));
});

test('an idle connection is closed without an error', async () => {
  expect(await idle).toBe('');
});

test('after the shutdown, connections are refused and the exit code is 0', async () => {
  await expect.poll(() => get('/livez').catch(String)).toContain('ECONNREFUSED');
  expect(await child.exit).toEqual({ code: 0, signal: null });
});

test('with LOG_LEVEL=debug, each probe is logged with its X-Request-Id', () => {
  expect(logOf(service).filter(({ msg }) => msg === 'probe')).toContainEqual(
    expect.objectContaining({ level: 20, requestId: 'readyz', path: '/readyz', status: 200 }),
  );
});
