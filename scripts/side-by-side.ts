import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createProgress, duration } from './progress.ts';

/*
 * Runs package scripts one after the other and, at the same time, the last argument, a command line whose output is shown. A
 * script gets a line when it ends; its own output is shown only if it fails. The first script runs before everything else,
 * because the others need its results.
 */

const [first = '', ...others] = process.argv.slice(2);
const command = others.pop() ?? '';
const progress = createProgress('checks', process.stdout);
const children = new Set<ReturnType<typeof spawn>>();
const interruption = new AbortController();

// A terminal sends Ctrl-C to all processes, but SIGTERM reaches this one alone. In both cases, each process has to clean up.
process.on('SIGINT', () => {
  interruption.abort();
});
process.on('SIGTERM', () => {
  interruption.abort();
  for (const child of children) child.kill('SIGTERM');
});

async function start(line: string, isShown: boolean) {
  if (interruption.signal.aborted) return { isPassed: false, output: '' };
  const child = spawn(`exec ${line}`, {
    shell: true,
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => (output += piece));
  }
  await once(child, 'close');
  children.delete(child);
  return { isPassed: child.exitCode === 0, output };
}

/** @returns the script's name if it failed */
async function check(script: string): Promise<string[]> {
  const began = performance.now();
  const { isPassed, output } = await start(`npm run --silent ${script}`, false);
  if (interruption.signal.aborted) return [script];
  const time = duration(performance.now() - began);
  progress.tell(`${script} ${isPassed ? 'passed' : 'failed'} (${time})`);
  if (!isPassed) progress.tell(output);
  return isPassed ? [] : [script];
}

async function checkAll(scripts: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const script of scripts) failed.push(...(await check(script)));
  return failed;
}

async function runAll(): Promise<string[]> {
  const unprepared = await check(first);
  if (unprepared.length > 0) return unprepared;
  const [failed, { isPassed }] = await Promise.all([checkAll(others), start(command, true)]);
  return isPassed ? failed : [...failed, command];
}

const failed = await runAll();
if (failed.length > 0) {
  if (!interruption.signal.aborted) progress.tell(`failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
