import { expect, test } from 'vitest';
import { runEntry } from '../support/process.ts';
import { startService } from '../support/service.ts';
import { newDatabase } from '../support/new-database.ts';

const env = {
  DATABASE_URL: await newDatabase(),
  NODE_OPTIONS: `--import ${new URL('../support/report-engine.ts', import.meta.url).href}`,
};

test("Prisma's engine is loaded before the service listens", async () => {
  await using service = await startService(env);
  const lines = service.child.stdout().split('\n');
  const loaded = lines.indexOf('engine loaded');
  expect(loaded).toBeGreaterThanOrEqual(0);
  expect(lines.findIndex((line) => line.includes('"msg":"listening"'))).toBeGreaterThan(loaded);
});

test("commands do not load Prisma's engine", async () => {
  await using keys = runEntry('src/main.ts keys', { args: ['create', 'me'], env });
  expect(await keys.exit).toMatchObject({ code: 0 });
  expect(keys.stdout()).toMatch(/^asg_\w+\n$/);
});
