import type { Client } from 'pg';
import { expect } from 'vitest';
import { restAnimal } from './animals.ts';
import { runInProcess } from './command.ts';
import { folderOf, sha256 } from './documents.ts';
import { requestOf } from './gateway.ts';
import { sendNamed } from './named-request.ts';
import type { Service } from './service.ts';
import { documents } from './store-commands.ts';

interface Used {
  readonly service: Service;
  readonly key: string;
  /** The environment in which commands use the same store, which has no animals yet. */
  readonly env: NodeJS.ProcessEnv;
  /** The idempotency key under which the same animal is added twice. */
  readonly idempotencyKey: string;
  readonly client: Client;
  /** The table of rate limit counts. */
  readonly counts: string;
}

/** Sends requests that use each of the gateway's own tables, and expects the responses that a store returns on any database. */
export async function expectAllOwnTables(used: Used): Promise<void> {
  const { service, key, env, idempotencyKey, client, counts } = used;
  const request = requestOf(service.url, key);
  const create = () =>
    sendNamed({ request, key }, { key: idempotencyKey, body: '{"name":"Rex","categoryId":1}' });
  const rex = restAnimal({ id: 1 });
  expect([await create(), await create()]).toMatchObject([
    { status: 201, text: rex },
    { status: 201, text: rex },
  ]);
  const pets = await request('/v1/pets');
  expect([pets.text, pets.headers.get('RateLimit')]).toEqual([`[${rex}]`, expect.any(String)]);
  expect(await request('/v1/pets/1')).toMatchObject({ status: 200, text: rex });
  expect(await request('/readyz')).toMatchObject({ text: 'ready\n' });

  const text = 'query Names { pets { name } }';
  const folder = await folderOf({ 'names.graphql': text });
  expect((await runInProcess(documents, [folder], { env })).stderr).toBe('');
  const stored = await request(`/graphql?documentId=${sha256(text)}`);
  expect(stored.json).toEqual({ data: { pets: [{ name: 'Rex' }] } });

  await service.child.line('stdout', (line) => line.includes('"msg":"deprecated field called"'));
  const counted = () => client.query(`SELECT FROM ${counts}`);
  await expect.poll(counted).toMatchObject({ rowCount: 1 });
}
