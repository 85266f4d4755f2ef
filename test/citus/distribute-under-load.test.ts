import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { startGateway, type Answer, type Gateway } from '../support/gateway.ts';
import { distribute } from '../support/store-commands.ts';
import type { CitusCluster } from './support/cluster.ts';
import { createStore, startUndistributed } from './support/own-cluster.ts';

let cluster: CitusCluster;
beforeAll(async () => {
  cluster = await startUndistributed();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const CLIENTS = 16;

/** What clients of a store expect of it. */
interface Ledger {
  /** The names of all animals there are, by their ids. */
  readonly names: Map<number, string>;
  /** Answers that were wrong. */
  readonly wrong: string[];
}

/** Creates, changes, reads and removes animals of its own until it is stopped. */
async function use(gateway: Gateway, client: number, ledger: Ledger, isStopped: () => boolean) {
  const send = async (method: string, path: string, key: string, body?: object): Promise<Answer> =>
    gateway.request(path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(key !== '' && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const check = (what: string, answer: Answer, status: number, name?: string): void => {
    const isNamed = name === undefined || answer.text.includes(`"name":"${name}"`);
    if (answer.status !== status || !isNamed) {
      ledger.wrong.push(`${what} ${status} ${name}: ${answer.status} ${answer.text}`);
    }
  };
  const own: number[] = [];
  for (let round = 0; !isStopped(); round += 1) {
    const name = `${client}-${round}`;
    const key = round % 2 === 0 ? name : '';
    const created = await send('POST', '/v1/pets', key, { name, categoryId: client });
    check('create', created, 201, name);
    const id = Number(Reflect.get(Object(created.json), 'id'));
    ledger.names.set(id, name);
    check('page', await gateway.request(`/v1/pets?limit=1&after=${id - 1}`), 200, name);
    own.push(id);
    // The new one, and one of long ago.
    for (const each of new Set([id, own[Math.trunc(own.length / 2)] ?? id])) {
      const newName = `${name}-of-${each}`;
      const path = `/v1/pets/${each}`;
      const change = await send('PATCH', path, key && newName, { name: newName });
      check('change', change, 200, newName);
      ledger.names.set(each, newName);
      check('get', await gateway.request(path), 200, newName);
    }
    if (round % 3 === 0) {
      const path = `/v1/pets/${id}`;
      check('remove', await send('DELETE', path, key && `${name}-removed`), 204);
      check('get of a removed one', await gateway.request(path), 404);
      ledger.names.delete(id);
      own.pop();
    }
  }
}

test.each(['Pet', 'Pet.categoryId', '--reference Pet'])(
  'distribute %s: every request meanwhile is answered as ever, and nothing is lost or doubled',
  async (what) => {
    const databaseUrl = await createStore(cluster);
    const gateway = await startGateway({ databaseUrl });
    const ledger: Ledger = { names: new Map(), wrong: [] };
    let isStopped = false;
    const clients = Promise.all(
      Array.from({ length: CLIENTS }, (_none, client) =>
        use(gateway, client, ledger, () => isStopped),
      ),
    );
    const env = { DATABASE_URL: databaseUrl };
    const outcome = await runInProcess(distribute, what.split(' '), { env });
    isStopped = true;
    await clients;
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(ledger.wrong).toEqual([]);
    const rows = await gateway.database.$queryRaw<
      { id: bigint; name: string }[]
    >`SELECT id, name FROM pets`;
    expect(rows).toHaveLength(ledger.names.size);
    expect(new Map(rows.map(({ id, name }) => [Number(id), name]))).toEqual(ledger.names);
  },
  120_000,
);

test('a write under a key is replayed after its table was distributed, and after that was undone', async () => {
  const databaseUrl = await createStore(cluster);
  const gateway = await startGateway({ databaseUrl });
  const create = async () => {
    const { status, text } = await gateway.request('/v1/pets', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
      body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
    });
    return { status, text };
  };
  const first = await create();
  expect(first).toMatchObject({ status: 201 });
  expect(await create()).toEqual(first);
  for (const statement of [
    "SELECT create_distributed_table('pets', 'id')",
    "SELECT undistribute_table('pets')",
    'CALL citus_cleanup_orphaned_resources()',
  ]) {
    await gateway.database.$executeRawUnsafe(statement);
    expect(await create()).toEqual(first);
  }
});
