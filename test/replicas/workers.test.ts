import { expect, test } from 'vitest';
import { startReplicatedPostgres } from '../support/replicated-postgres.ts';
import { firstKey, startPatientService } from '../support/service.ts';
import { metricOf } from '../support/measured.ts';
import { askAlone } from '../support/node-request.ts';

test('each worker reads from the replicas', async () => {
  await using postgres = await startReplicatedPostgres({ replicas: 1 });
  await using service = await startPatientService({
    WORKERS: '2',
    DATABASE_URL: postgres.primary.url,
    DATABASE_REPLICA_URLS: postgres.replicas.map(({ url }) => url).join(' '),
    METRICS_PORT: '0',
  });
  const headers = { Authorization: `Bearer ${await firstKey(service)}` };
  const reads = () =>
    metricOf(service, 'animal_store_replica_reads_total', { answered_by: 'replica' });
  // Consecutive connections go to both workers in turn.
  const readTwice = async () => {
    const before = await reads();
    await askAlone(`${service.url}/v1/pets`, headers);
    await askAlone(`${service.url}/v1/pets`, headers);
    return (await reads()) - before;
  };
  await expect.poll(readTwice).toBe(2);
});
