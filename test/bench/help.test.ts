import { expect, test } from 'vitest';
import { expectHelp, scriptRunner, TOOLS } from '../support/help.ts';

const runOf = await scriptRunner();

test.each(TOOLS)('npm run %s -- --help prints help', async (name) => {
  const { stdout, ...outcome } = await runOf(name, '--help');
  expect(outcome).toEqual({ code: 0, stderr: '' });
  expectHelp(name, stdout);
});

test.each(['soak', 'fuzz'])('npm run %s rejects unexpected arguments', async (name) => {
  const { stderr, ...outcome } = await runOf(name, 'a', 'b', 'c', 'd');
  expect(outcome).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(`${name}: unexpected "a b c d"; see --help\n`);
});
