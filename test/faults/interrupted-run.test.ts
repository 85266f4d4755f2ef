import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inherited } from '../../bench/processes/command.ts';
import { processesOf } from '../support/process-list.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A test file that starts services with their own databases. */
const FILE = 'test/start-stop/stop.test.ts';

const moments = [
  ['during the setup', 'initdb'],
  ['when the database has started', 'unix_socket_directories'],
  ['while a test runs a service', 'src/main.ts'],
] as const;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test.each(moments)(
    `${signal} %s leaves no process or folder of the test run behind`,
    async (_moment, started) => {
      await using directory = await temporaryDirectory();
      const run = spawn(
        process.execPath,
        ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', FILE],
        {
          cwd: ROOT,
          env: { ...inherited(), TMPDIR: directory.path },
          // Its process group gets the signal, as from a terminal.
          detached: true,
          stdio: 'ignore',
        },
      );
      const ended = once(run, 'exit');
      await expect
        .poll(
          async () => (await processesOf(directory.path)).map(({ commandLine }) => commandLine),
          {
            timeout: 60_000,
          },
        )
        .toContainEqual(expect.stringContaining(started));
      process.kill(-(run.pid ?? Number.NaN), signal);
      await ended;
      await expect.poll(() => processesOf(directory.path)).toEqual([]);
      expect(await readdir(directory.path)).toEqual([]);
    },
  );
}
