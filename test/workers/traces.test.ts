import { expect, inject, test } from 'vitest';
import { SERVER, startCollector } from '../support/collector.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startPatientService } from '../support/service.ts';
import { askAlone } from '../support/workers.ts';

const INSTANCE = /"service\.instance\.id","value":\{"stringValue":"([^"]+)"/g;

test('each worker exports its own traces, and the last of them before it ends', async () => {
  await using collector = await startCollector();
  await using service = await startPatientService({
    ...collector.env,
    // Not before they are told to end.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    DATABASE_URL: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    WORKERS: '2',
  });
  for (let request = 0; request < 4; request += 1) await askAlone(`${service.url}/v1/pets`, {});
  expect(collector.spans()).toEqual([]);
  service.child.kill('SIGTERM');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  expect(collector.spans().filter(({ kind }) => kind === SERVER)).toHaveLength(4);
  const instances = Array.from(collector.received().matchAll(INSTANCE), ([, id]) => id);
  expect(new Set(instances).size).toBe(2);
});
