import { expect, inject, test } from 'vitest';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { processesNaming } from '../support/process-list.ts';
import { runEntry, runOnTerminal, type ChildEntry } from '../support/process.ts';
import { addedAnimals, countAnimals } from '../support/seed.ts';
import { firstKey, startService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** More than any test waits for. */
const ENDLESS = { args: ['10000000'] };

test('at SIGTERM it ends, and the animals that it says were added stay', async () => {
  const url = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
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

/** Resolves once the bar of a command on a terminal has moved. */
async function moved({ stdout }: ChildEntry): Promise<void> {
  await expect.poll(stdout).toContain('%  2,000');
}

test('Ctrl-C leaves no PostgreSQL behind, and a service finds the animals', async () => {
  await using data = await temporaryDirectory();
  const env = { DATA_DIR: data.path };
  await using command = runOnTerminal('src/main.ts seed', { ...ENDLESS, env });
  await moved(command);
  command.type('\u0003');
  expect(await command.exit).toEqual({ code: 1, signal: null });
  expect(addedAnimals(command.stdout())).toBeGreaterThan(0);
  expect(await processesNaming(data.path)).toEqual([]);

  await using service = await startService(env);
  const key = await firstKey(service);
  // Beside a service it works as well.
  await using beside = runEntry('src/main.ts seed', { args: ['1'], env });
  expect(await beside.exit).toEqual({ code: 0, signal: null });
  const list = await fetch(`${service.url}/v1/pets?limit=1`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect([list.status, await list.json()]).toEqual([200, [expect.objectContaining({ id: 1 })]]);
});
