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
 * One service is told to stop while much is under way, and the tests look at what has become of it: each stop takes a
 * process of its own. Somebody watches /readyz, so that clients at work have more than 2 s for their next request.
 */
const service = await startPatientService({ LOG_LEVEL: 'debug' });
const { child, url } = service;
const Authorization = `Bearer ${await firstKey(service)}`;
const REX = '{"name":"Rex","categoryId":1}';
const CREATE = `mutation { createPet(input: { name: "Rex", categoryId: 1 }) ${WHOLE_ANIMAL} }`;

/** Sends a GET on a connection of its own, unless there is an agent. */
const get = (path: string, agent: Agent | false = false) =>
  endRequest(
    request(url + path, { headers: { Authorization, 'X-Request-Id': path.slice(1) }, agent }),
  );

/**
 * Asks again and again until told that this was the last answer on the connection; resolves to all statuses. Not for
 * animals: a statement that is under way while the process stands still takes too long.
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

/** Connections that the kernel makes while the service stands still, each with a request on it. */
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
// Ctrl-C comes twice, from the terminal and from npm. Another one, since of the same the kernel makes one.
child.kill('SIGINT');
child.kill('SIGCONT');
await child.line('stdout', (line) => line.includes('"msg":"stopping"'));
// Before all else: clients have 5 s to end their requests.
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

test('requests on connections made before the signal are answered, accepted or not', async () => {
  for (const answer of await Promise.all(waiting)) {
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n/);
  }
});

test('busy clients are told which response is the last on their connection, and are never cut off', async () => {
  expect((await Promise.all(workers)).flat()).toEqual(workers.map(() => 200));
});

test('an idle connection is closed without an error', async () => {
  expect(await idle).toBe('');
});

test('then connections are refused, and the service ends with exit code 0', async () => {
  await expect.poll(() => get('/livez').catch(String)).toContain('ECONNREFUSED');
  expect(await child.exit).toEqual({ code: 0, signal: null });
});

test('with LOG_LEVEL=debug, each probe is logged with its X-Request-Id', () => {
  expect(logOf(service).filter(({ msg }) => msg === 'probe')).toContainEqual(
    expect.objectContaining({ level: 20, requestId: 'readyz', path: '/readyz', status: 200 }),
  );
});
