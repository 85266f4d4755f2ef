import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { newDatabase } from '../support/new-database.ts';
import { exportingTo } from '../support/collector.ts';
import { firstKey, startPatientService } from '../support/service.ts';

test.each<{ what: string; collector: RequestListener | 'gone' }>([
  { what: 'is unreachable', collector: 'gone' },
  { what: 'never answers', collector: () => undefined },
])(
  'a trace collector that $what delays neither requests nor the shutdown',
  async ({ collector }) => {
    const url = await newDatabase();
    const env = await exportingTo(collector);
    const service = await startPatientService({ DATABASE_URL: url, ...env });
    const key = await firstKey(service);
    for (let request = 0; request < 20; request += 1) {
      expect((await ask(service.url, key, 'GET /v1/pets')).status).toBe(200);
    }
    service.child.kill('SIGTERM');
    expect(await service.child.exit).toEqual({ code: 0, signal: null });
    const lines = service.child.stdout().split('\n');
    const warnings = lines.filter((line) => line.includes('"level":40'));
    expect(warnings.at(-1)).toContain('the last traces could not be exported');
  },
);
