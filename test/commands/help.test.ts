import * as commands from '../support/store-commands.ts';
import { expect, test } from 'vitest';
import { pageTimes } from '../../scripts/page-times.ts';
import { VARIABLE_NAMES } from '../../packages/gateway/src/config/config.ts';
import type { Command, Options } from '@store-gateway/ops/command-line';
import { runInProcess } from '../support/command.ts';
import { packageScripts, expectHelp, scriptRunner, TOOLS } from '../support/help.ts';
import { runScript } from '../support/process.ts';

const { audit, backup, deprecations, distribute, documents, keys, migrate } = commands;
const { exported, openapi, schema, seed } = commands;
const WITHOUT_OPTIONS = [backup, exported, pageTimes, openapi, schema, seed];
/** An unusable configuration, so that no command can start anything. */
const env = { DATABASE_URL: 'nonsense' };

/** Returns a command's name and a function that runs the command in this process. */
function inProcess<O extends Options>(command: Command<O>) {
  return [command.name, (flag: string) => runInProcess(command, [flag], { env })] as const;
}

const COMMANDS = [
  ...WITHOUT_OPTIONS.map(inProcess),
  inProcess(audit),
  inProcess(keys),
  inProcess(documents),
  inProcess(deprecations),
  inProcess(distribute),
  inProcess(migrate),
];
/** Scripts in package.json that are separate programs, and one that runs a gateway command. */
const PROGRAMS = ['db:migration', 'keys'];
const NAMES = [...new Set([...PROGRAMS, ...TOOLS, ...COMMANDS.map(([name]) => name)])];

const scripts = await packageScripts();

const runOf = await scriptRunner({
  env,
  parts: ['docs', 'packages', 'prisma', 'src', 'package.json'],
});

test('this file covers every npm script that runs a program', () => {
  const programs = [...scripts].filter(([, script]) => /\bnode .*\.ts(?: \w+)?$/.test(script));
  // dev is Node's watch mode for start; bundle and generate:graphiql are parts of npm ci; the others belong to the packages.
  const others = ['start', 'dev', 'bundle', 'generate:graphiql', 'pack', 'reference', 'weights'];
  const releases = ['release:notes', 'release:publish', 'release:version'];
  expect(programs.map(([name]) => name).toSorted()).toEqual(
    [...others, ...releases, ...NAMES].toSorted(),
  );
});

test('npm start --help lists every environment variable', async () => {
  const { stdout, ...outcome } = await runOf('start', '--help');
  expect(outcome).toEqual({ code: 0, stderr: '' });
  expectHelp('start', stdout);
  const told = Array.from(stdout.matchAll(/^ {2}([A-Z_]+) {2}/gm), ([, name]) => name);
  expect(new Set(told)).toEqual(VARIABLE_NAMES);
});

test('a setting given as a flag is rejected with the name of its environment variable', async () => {
  const { code, stdout, stderr } = await runOf('start', '--port', '5000');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(
    'animal-store-gateway: there is no flag --port: set the environment variable PORT; see --help\n',
  );
  const backUp = await runInProcess(backup, ['list', '--data-dir=/elsewhere'], { env });
  expect(backUp.stderr).toBe(
    'backup: there is no flag --data-dir: set the environment variable DATA_DIR; see --help\n',
  );
});

test.each(PROGRAMS)('npm run %s -- --help prints help', async (name) => {
  const { stdout, ...outcome } = await runOf(name, '--help');
  expect(outcome).toEqual({ code: 0, stderr: '' });
  expectHelp(name, stdout);
});

test('npm start rejects arguments', async () => {
  const { stderr, ...outcome } = await runOf('start', 'a', 'b', 'c', 'd');
  expect(outcome).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe('animal-store-gateway: unexpected "a b c d"; see --help\n');
});

test.each(COMMANDS)('the command %s prints help for --help and -h', async (name, run) => {
  for (const flag of ['--help', '-h']) {
    const { stdout, ...outcome } = await run(flag);
    expect(outcome).toEqual({ code: 0, stderr: '' });
    expectHelp(name, stdout);
  }
});

test.each(COMMANDS)('npm run %s runs the command with that name', (name) => {
  const program = name === 'page-times' ? 'scripts/page-times.ts' : `src/main.ts ${name}`;
  expect(scripts.get(name)).toMatch(new RegExp(`node .*${program}$`));
});

test.each(WITHOUT_OPTIONS)('the command $name rejects unexpected arguments', async (command) => {
  for (const args of [['a', 'b', 'c', 'd'], ['--nonsense']]) {
    const { stderr, ...outcome } = await runInProcess(command, args, { env });
    expect(outcome).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^${command.name}: .+; see --help\\n$`));
  }
});

test('a command prints no error when the reader of its output, such as head, closes the pipe', async () => {
  await using child = runScript(`${scripts.get('keys')} --help | true`);
  await child.exit;
  expect(child.stderr()).toBe('');
});
