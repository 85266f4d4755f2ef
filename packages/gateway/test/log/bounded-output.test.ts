import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts';
import { boundedOutput } from '../../src/log/service-log.ts';

const LINE = `${'x'.repeat(20_000)}\n`;

async function testFolder(): Promise<string> {
  const folder = await temporaryDirectory();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder.path;
}

test('when more than 1 MiB of log lines cannot be written, further lines are dropped and counted', async () => {
  const file = join(await testFolder(), 'log');
  await writeFile(file, '');
  const onResumed = vi.fn<(dropped: number) => void>();
  // Never closed, because the output keeps retrying for as long as the process lives.
  const output = boundedOutput(openSync(file, constants.O_RDONLY), onResumed);
  for (let lines = 0; lines < 100; lines += 1) {
    output.write(LINE);
  }
  output.flushSync();
  // The other 53 lines, about 1 MiB, are still waiting.
  expect(output.dropped()).toBe(47);
  expect(onResumed).not.toHaveBeenCalled();
});

test('a log reader that resumes when the process ends receives the number of dropped lines', async () => {
  const folder = await testFolder();
  const [pipe, copy] = [join(folder, 'pipe'), join(folder, 'copy')];
  execFileSync('mkfifo', [pipe]);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const reader = spawn('sh', ['-c', 'exec cat "$0" > "$1"', pipe, copy], { stdio: 'inherit' });
  const hasRead = once(reader, 'exit');
  onTestFinished(() => {
    reader.kill('SIGKILL');
  });
  const read = () => readFile(copy, 'utf8');
  const told: number[] = [];
  const output = boundedOutput(fd, (dropped) => {
    told.push(dropped);
    output.write(`missed ${dropped}\n`);
  });
  output.write(LINE);
  await expect.poll(() => read().catch(() => '')).toBe(LINE);

  reader.kill('SIGSTOP');
  while (output.dropped() === 0) {
    output.write(LINE);
  }
  reader.kill('SIGCONT');
  while (told.length === 0) {
    output.flushSync();
  }
  closeSync(fd);
  await hasRead;
  expect((await read()).split('\n').at(-2)).toBe('missed 1');
});
