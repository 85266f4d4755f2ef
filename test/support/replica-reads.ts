import { expect } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import type { MeasuredGateway } from './measured-gateway.ts';
import { animalsIn } from './store-reads.ts';

/** What answered the reads of a gateway with replicas: `replica none`, or `primary` and why no replica did. */
export async function answeredBy(
  { moved }: Pick<MeasuredGateway, 'moved'>,
  reads: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const series = await moved(/^animal_store_replica_reads_total/, reads);
  return Object.fromEntries(
    Object.entries(series).map(([name, value]) => [
      Array.from(name.matchAll(/=(\w+)/g), ([, label]) => label).join(' '),
      value,
    ]),
  );
}

/** Resolves once a read is answered so. */
export async function readsAreAnsweredBy(gateway: MeasuredGateway, by: string): Promise<void> {
  await expect.poll(() => answeredBy(gateway, () => gateway.send('/v1/pets'))).toEqual({ [by]: 1 });
}

/** The names of the animals that a gateway shows, at most 100. */
export async function namesShownBy({ request }: Pick<MeasuredGateway, 'request'>) {
  const answer = await request('/v1/pets?limit=100');
  expect(answer.status).toBe(200);
  return animalsIn(answer).map(({ name }) => name);
}

/** Adds an animal; it is acknowledged. */
export async function addAnimal({ post }: Pick<MeasuredGateway, 'post'>, name: string) {
  expect((await post('/v1/pets', { name, categoryId: 1 })).status).toBe(201);
}

/** A way to a replica until the tests of the file are over. */
export async function proxyTo(url: string) {
  const proxy = await startDatabaseProxy(url);
  onFileFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

/** SQL that adds an animal past any gateway. */
export function insertOf(name: string): string {
  return `INSERT INTO pets (name, category_id, status) VALUES ('${name}', 1, 'available')`;
}
