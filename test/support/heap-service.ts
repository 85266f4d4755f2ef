import { inject } from 'vitest';
import { createDatabase, TEMPLATE } from './database.ts';
import { firstKey, startPatientService, type Service } from './service.ts';

/** A service on a database of its own that tells what its heap holds. */
export interface HeapService extends Service {
  readonly key: string;
  /** Bytes that are in use once garbage is collected. */
  readonly heapUsed: () => Promise<number>;
}

export async function startHeapService(): Promise<HeapService> {
  const service = await startPatientService({
    DATABASE_URL: await createDatabase(inject('postgresUrl'), { template: TEMPLATE }),
    NODE_OPTIONS: '--import ./test/support/heap-report.ts',
  });
  let reports = 0;
  return {
    ...service,
    key: await firstKey(service),
    heapUsed: async () => {
      reports += 1;
      const start = `heap ${reports}: `;
      service.child.kill('SIGUSR2');
      const line = await service.child.line('stderr', (text) => text.startsWith(start));
      return Number(line.slice(start.length).split(' ')[0]);
    },
  };
}
