import { expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry, runOnTerminal } from '../support/process.ts';
import { addedAnimals, countAnimals } from '../support/seed.ts';
import { firstKey, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** More animals than seed could add during a test. */
const ENDLESS = { args: ['10000000'] };

test('seed stopped by SIGTERM keeps the animals that it has added and reports their number', async () => {
  const url = await newDatabase();
  await using command = runEntry('src/main.ts seed', {
    ...ENDLESS,
    env: { DATABASE_URL: url },
  });
  await expect.poll(() => countAnimals(url)).toBeGreaterThan(0);
  command.kill('SIGTERM');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect(command.stdout()).toBe('');
  expect(addedAnimals(command.stderr())).toBe(await countAnimals(url));
});

test('Ctrl-C ends seed and its PostgreSQL, and a service started later finds the animals', async () => {
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path };
  await using command = runOnTerminal('src/main.ts seed', { ...ENDLESS, env });
  // Its progress bar has moved.
  await expect.poll(command.stdout).toContain('%  2,000');
  command.type('\u0003');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect(addedAnimals(command.stdout())).toBeGreaterThan(0);
  expect(await processesNaming(data.path)).toEqual([]);

  await using service = await startService(env);
  const key = await firstKey(service);
  // seed also works while a service runs.
  await using beside = runEntry('src/main.ts seed', { args: ['1'], env });
  expect(await beside.exit).toEqual({ code: 0, signal: null });
  const list = await fetch(`${service.url}/v1/pets?limit=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect([list.status, await list.json()]).toEqual([200, [expect.objectContaining({ id: 1 })]]);
});
