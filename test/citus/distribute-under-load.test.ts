import { expect, test } from 'vitest';
import { runInProcess } from '../support/command.ts';
import { idOf, post } from '../support/stores.ts';
import { startGateway, type Gateway } from '../support/gateway.ts';
import { changesOf } from '../support/pet-changes.ts';
import { distribute } from '../support/store-commands.ts';
import { createStore, startUndistributed } from './support/own-cluster.ts';

const cluster = await startUndistributed();

const CLIENTS = 16;

/** Creates, reads, changes and removes animals until stopped. @param names receives the animals' names by id */
async function use(
  gateway: Gateway,
  client: number,
  names: Map<number, string>,
  stopped: AbortSignal,
): Promise<void> {
  const { patch, remove } = changesOf(gateway);
  const own: number[] = [];
  for (let round = 0; !stopped.aborted; round += 1) {
    const name = `${client}-${round}`;
    const headers = (key: string) => (round % 2 === 0 ? { 'Idempotency-Key': key } : {});
    const create = async (named: string): Promise<number> => {
      const input = { name: named, categoryId: client };
      const created = await post(gateway, '/v1/pets', input, headers(named));
      expect(created).toMatchObject({ status: 201, json: { name: named } });
      return Number(idOf(created));
    };
    const id = await create(name);
    const page = await gateway.request(`/v1/pets?limit=1&after=${id - 1}`);
    expect(page).toMatchObject({ status: 200, json: [{ id, name }] });
    own.push(id);
    // The new animal and an older one.
    for (const each of new Set([id, own[Math.trunc(own.length / 2)] ?? id])) {
      const newName = `${name}-of-${each}`;
      const changed = await patch(`/v1/pets/${each}`, `{"name":"${newName}"}`, headers(newName));
      expect(changed).toMatchObject({ status: 200, json: { name: newName } });
      names.set(each, newName);
      expect((await gateway.request(`/v1/pets/${each}`)).text).toBe(changed.text);
    }
    const removed = `/v1/pets/${await create(`${name}-removed`)}`;
    expect((await remove(removed, headers(removed))).status).toBe(204);
    expect((await gateway.request(removed)).status).toBe(404);
  }
}

// Distribution by the id is tested in test/citus/faults.test.ts.
test.each(['Pet.categoryId', '--reference Pet'])(
  'while distribute %s runs, every request gets its usual response and no write is lost or duplicated',
  async (what) => {
    const databaseUrl = await createStore(cluster);
    const gateway = await startGateway({ databaseUrl });
    const names = new Map<number, string>();
    const stopped = new AbortController();
    const clients = Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => use(gateway, client, names, stopped.signal)),
    );
    const env = { DATABASE_URL: databaseUrl };
    const outcome = await runInProcess(distribute, what.split(' '), { env });
    stopped.abort();
    await clients;
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const rows = await gateway.database.$queryRaw<
      { id: bigint; name: string }[]
    >`SELECT id, name FROM pets`;
    expect(rows).toHaveLength(names.size);
    expect(new Map(rows.map(({ id, name }) => [Number(id), name]))).toEqual(names);
  },
  120_000,
);
