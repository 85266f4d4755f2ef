import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Logs a line once its stdin ends, and ends itself. */
const PROGRAM = `
  const { log } = await import('./packages/ops/src/log/log.ts');
  const { logFrom } = await import('./packages/gateway/src/log/service-log.ts');
  logFrom();
  process.stdin.resume().on('end', () => {
    log.LEVEL('last words');
    process.exit(3);
  });
`;

test.each(['info', 'fatal'])(
  'whoever read the log has gone: a last line of the level %s does not hold up the end',
  async (level) => {
    const args = ['--input-type=module', '--eval', PROGRAM.replace('LEVEL', level)];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    child.stdout.destroy();
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([3, null]);
  },
);
