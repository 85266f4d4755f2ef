import { expect, inject, test } from 'vitest';
import { SERVER, startCollector } from '../support/collector.ts';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { startPatientService } from '../support/service.ts';
import { logOf, workersOf } from '../support/workers.ts';

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
  await workersOf(service, 2);
  expect(collector.spans()).toEqual([]);
  service.child.kill('SIGTERM');
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  const requests = logOf(service).filter(({ msg }) => msg === 'request');
  expect(collector.spans().filter(({ kind }) => kind === SERVER)).toHaveLength(requests.length);
  const instances = Array.from(collector.received().matchAll(INSTANCE), ([, id]) => id);
  expect(new Set(instances).size).toBe(2);
});
