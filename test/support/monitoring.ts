import { readFile } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { inject } from 'vitest';
import { onFileFinished } from './clean-up.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { AS_IN_PRODUCTION } from './gateway.ts';
import { startMeasuredGateway } from './measured-gateway.ts';
import type { Series } from './prometheus-text.ts';

/** What Prometheus itself tells, and adds to all that it reads. */
const OF_PROMETHEUS: Series = { name: 'up', labels: {}, value: 1 };
export const TARGET = { job: 'animal-store-gateway', instance: '127.0.0.1:9464' };

/** Only with several WORKERS: test/workers/one-service.test.ts scrapes them. */
export const OF_SUPERVISOR = [
  'animal_store_workers',
  'animal_store_worker_deaths_total',
  'animal_store_worker_hangs_total',
];

/** What Prometheus knows of a service that has done one of everything, and failed once. */
export async function seriesOfEverything(): Promise<Series[]> {
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const proxy = await startDatabaseProxy(databaseUrl);
  onFileFinished(() => proxy[Symbol.asyncDispose]());
  const { url, send, scrape } = await startMeasuredGateway({
    ...AS_IN_PRODUCTION,
    databaseUrl: proxy.url,
  });
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  await fetch(`${url}/readyz`);
  await send('/v1/pets/0');
  await send('/graphql?query={pets{id}}');
  await send('/v1/pets', { headers: { Authorization: 'none' } });
  // Two that ask for the same while another is being answered.
  proxy.hold();
  const first = send('/v1/pets');
  await proxy.holding();
  const failed = send('/v1/pets?limit=1');
  // Its failure is told beside data, of which there is none: 294.
  const Accept = 'application/graphql-response+json';
  const partial = send('/graphql?query={pets{name}}', { headers: { Accept } });
  await Promise.all([first, failed, partial, send('/v1/pets'), send('/v1/pets')]);
  proxy.letGo();
  const ofSupervisor = OF_SUPERVISOR.map((name): Series => ({ name, labels: {}, value: 0 }));
  return [OF_PROMETHEUS, ...ofSupervisor, ...(await scrape())].map(
    ({ name, labels, value }): Series => ({
      name,
      labels: Object.assign(labels, TARGET),
      value,
    }),
  );
}

/** A file of this repository. */
export function readText(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Without what a histogram ends its names with. */
export function familyOf(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '');
}
