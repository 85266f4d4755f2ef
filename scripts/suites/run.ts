import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CommandFailure, rejectPositionals, runCommand } from '@store-gateway/ops/command-line';
import { SUITES, type Suite } from './suites.ts';

const HELP = `Runs all test suites, and prints a line for each: its result and its duration.

  npm run --silent test:all
  npm run --silent test:all -- --resume
  npm run --silent test:all -- --only browser

Two suites run side by side if they don't interfere with each other, full ones only on four cores or more. Suites that
measure time run alone, at the end. A failed suite doesn't prevent others from running. The output of each suite is in .suites.

  --resume     skips the suites that passed in the last run
  --only NAME  runs one suite: ${SUITES.map(({ name }) => name).join(', ')}
  --short      runs the short form of each suite, which every change must pass

Exit codes: 0 passed, 1 failed, 2 usage error.
`;

const ROOT = join(import.meta.dirname, '..', '..');
const FOLDER = join(ROOT, '.suites');
const PASSED = join(FOLDER, 'passed.json');
/** Number of cores that two complete suites need. */
const CORES_OF_TWO = 4;
/** Number of output lines to show for a failed suite. */
const SHOWN = 150;

await runCommand({
  name: 'test:all',
  help: HELP,
  options: {
    resume: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
  read: ({ positionals, values: { resume, short, only } }) => {
    rejectPositionals(positionals);
    if (only !== undefined && !SUITES.some(({ name }) => name === only)) {
      throw new CommandFailure(2, `there is no suite ${only}; see --help`);
    }
    return async ({ catchSignals }) => {
      await mkdir(FOLDER, { recursive: true });
      const passed = resume ? await passedBefore() : [];
      const suites = SUITES.filter(
        ({ name, short: command }) =>
          !passed.includes(name) &&
          (only === undefined || name === only) &&
          (!short || command !== undefined),
      );
      install(suites);
      const failed = await runAll(suites, { short, passed, interruption: catchSignals() });
      if (failed.length > 0) throw new CommandFailure(1, `failed: ${failed.join(', ')}`);
      return '';
    };
  },
});

/** Installs and generates what the suites need. Its output is shown only if it fails. */
function install(suites: readonly Suite[]): void {
  const scripts = new Set(suites.flatMap(({ installs }) => installs ?? []));
  for (const script of [...scripts, 'prepare:tests']) {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', script], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0) {
      process.stdout.write(stdout + stderr);
      throw new CommandFailure(1, `npm run ${script} failed`);
    }
  }
}

interface How {
  readonly short: boolean;
  /** The names of suites that passed before; the names of those that pass now are added. */
  readonly passed: string[];
  readonly interruption: AbortSignal;
}

/** @returns the names of those that failed, or didn't run because of an interruption */
async function runAll(suites: readonly Suite[], how: How): Promise<string[]> {
  const { short } = how;
  const failed: string[] = [];
  const runLane = async (lane: Suite['lane']) => {
    for (const suite of suites) {
      if (suite.lane === lane && !(await runSuite(suite, how))) failed.push(suite.name);
    }
  };
  // On fewer cores, complete suites that run in parallel take three times as long, and exceed timeouts.
  const fitsTwo = short || availableParallelism() >= CORES_OF_TWO;
  const steps: Suite['lane'][][] = fitsTwo ? [['network', 'other']] : [['other'], ['network']];
  for (const lanes of [...steps, ['alone' as const]]) {
    await Promise.all(lanes.map(runLane));
  }
  return failed;
}

async function runSuite(suite: Suite, { short, passed, interruption }: How): Promise<boolean> {
  if (interruption.aborted) return false;
  const log = join(FOLDER, `${suite.name.replace(' ', '-')}.log`);
  const command = short ? (suite.short ?? suite.complete) : suite.complete;
  const began = performance.now();
  const output = createWriteStream(log);
  await once(output, 'open');
  const child = spawn(command, {
    cwd: ROOT,
    shell: true,
    stdio: ['ignore', output, output],
    // A process group of its own, so that an interruption also reaches what the shell has started.
    detached: true,
    // oxlint-disable-next-line node/no-process-env -- it is passed on
    env: { ...process.env, NO_COLOR: '1' },
  });
  const stop = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  interruption.addEventListener('abort', stop);
  await once(child, 'close');
  interruption.removeEventListener('abort', stop);
  output.end();
  const hasPassed = child.exitCode === 0;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  if (hasPassed) {
    passed.push(suite.name);
    await writeFile(PASSED, JSON.stringify(passed));
  } else {
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    process.stdout.write(`${lines.slice(-SHOWN).join('\n')}\n`);
  }
  const outcome = hasPassed ? 'passed' : 'FAILED';
  process.stdout.write(`${suite.name.padEnd(12)}${outcome}${seconds.padStart(7)} s\n`);
  return hasPassed;
}

/** Names of the suites that passed in the last run. */
async function passedBefore(): Promise<string[]> {
  const text = await readFile(PASSED, 'utf8').catch(() => '[]');
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
