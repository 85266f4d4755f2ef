import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { VARIABLES } from '../src/environment-variables.ts';
import { packageScripts } from './support/package-scripts.ts';
import { runEntry, runScript } from './support/process.ts';
import { temporaryTree } from './support/temporary-directory.ts';

const scripts = await packageScripts();
/** The scripts that run a program of ours; dev is Node's own watch around start. */
const commands = [...scripts].filter(([, script]) => /\bnode (?:-r \S+ )?\S+\.ts$/.test(script));
/** A configuration that can't be used: that nothing is started is certain. */
const env = { DATABASE_URL: 'nonsense' };

/** Where one that forgets to look at its arguments does no harm. */
const tree = await temporaryTree();
afterAll(() => tree[Symbol.asyncDispose]());

/** Runs a command to its end. */
async function run(script: string, ...args: string[]) {
  await using child = runScript(script, { args, env, root: tree.path });
  const { code } = await child.exit;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

test('the scripts that are commands are found', () => {
  expect(commands.map(([name]) => name)).toEqual(
    expect.arrayContaining(['start', 'keys', 'documents', 'seed', 'db:migration', 'schema']),
  );
});

describe.concurrent.each(commands)('npm run %s', (name, script) => {
  test.each(['--help', '-h'])('%s prints help: what it does, usage, exit codes', async (option) => {
    const { code, stdout, stderr } = await run(script, option);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [summary, usage, ...rest] = stdout.split('\n\n');
    expect(summary).toMatch(/^[A-Z].+[.:]$/);
    expect(usage).toMatch(new RegExp(`^ {2}npm (?:run --silent )?${name}\\b`));
    expect(rest.at(-1)).toMatch(/^Exit codes: 0 \w+,(?: 1 failed,)? 2 not understood\.\n$/);
  });

  test.each([[['--nonsense']], [['a', 'b', 'c', 'd']]])(
    '%j is not understood, in one line',
    async (args) => {
      const { stderr, ...outcome } = await run(script, ...args);
      expect(outcome).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        new RegExp(`^${name === 'start' ? 'animal-store-gateway' : name}: .+; see --help\\n$`),
      );
    },
  );
});

test('a reader that has seen enough, such as head, is no fault', async () => {
  await using child = runScript(`${scripts.get('keys')} --help | true`);
  await child.exit;
  expect(child.stderr()).toBe('');
});

test('npm start --help tells every environment variable that is read', async () => {
  const configuration = await readFile(new URL('../src/config.ts', import.meta.url), 'utf8');
  const read = Array.from(configuration.matchAll(/environment\['(\w+)'\]/g), ([, name]) => name);
  expect(read).toContain('DATABASE_URL');
  await using child = runEntry('src/main.ts', { args: ['--help'] });
  await child.exit;
  const told = Array.from(child.stdout().matchAll(/^ {2}([A-Z_]+) {2}/gm), ([, name]) => name);
  expect(new Set(told)).toEqual(new Set(read));
  expect(VARIABLES).toEqual(new Set(read));
});

test('whoever gives an environment variable as a flag is told to set it', async () => {
  const { code, stdout, stderr } = await run(scripts.get('start') ?? '', '--port', '5000');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'animal-store-gateway: there is no flag --port: set the environment variable PORT; see --help\n',
  );
  const keys = await run(scripts.get('keys') ?? '', 'list', '--data-dir=/elsewhere');
  expect(keys.stderr).toBe(
    'keys: there is no flag --data-dir: set the environment variable DATA_DIR; see --help\n',
  );
});
