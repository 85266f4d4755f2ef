import { expect, test } from 'vitest';
import {
  CommandFailure,
  type Command,
  parseDuration,
  run,
  wholeNumber,
} from '../src/command-line.ts';

const greet: Command = {
  name: 'greet',
  help: 'Greets.\n',
  options: {},
  read:
    ({ positionals: [name] }) =>
    async () => {
      if (name === 'bug') throw new TypeError('a bug');
      throw new CommandFailure(1, 'nobody is\nthere');
    },
};

async function runGreet(...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await run(greet, args, {
    env: {},
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    catchSignals: () => new AbortController().signal,
  });
  return { code, stdout, stderr };
}

test.each([[['-h']], [['help']], [['a', 'b', '--wrong', '--help']]])(
  'a command with the arguments %j prints help and does nothing else',
  async (args) => {
    expect(await runGreet(...args)).toEqual({ code: 0, stdout: 'Greets.\n', stderr: '' });
  },
);

test('a CommandFailure is printed on one line', async () => {
  expect(await runGreet()).toEqual({
    code: 1,
    stdout: '',
    stderr: String.raw`greet: nobody is\u{a}there` + '\n',
  });
});

test('an error that is not a CommandFailure is rethrown', async () => {
  await expect(runGreet('bug')).rejects.toThrow(new TypeError('a bug'));
});

test.each([
  ['45s', 45_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['36500d', 3_153_600_000_000],
])('parseDuration parses %s as %s ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

test.each(['4', '999'])('wholeNumber accepts %s as a number from 4 to 999', (text) => {
  expect(wholeNumber('--seconds', text, { least: 4, most: 999 })).toBe(Number(text));
});

test.each(['3', '1000', '1e1', '0x9', '5.0', '+5', '05', ' 5', 'five', ''])(
  'wholeNumber rejects "%s" as a number from 4 to 999',
  (text) => {
    expect(() => wholeNumber('--seconds', text, { least: 4, most: 999 })).toThrow(
      expect.objectContaining({
        message: '--seconds must be a number from 4 to 999; see --help',
        exitCode: 2,
      }),
    );
  },
);
