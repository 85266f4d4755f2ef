import { expect, test } from 'vitest';
import {
  CommandFailure,
  type Command,
  progressBar,
  expectNone,
  run,
} from '../../src/command-line.ts';

const OPTIONS = { loud: { type: 'boolean' } } as const;

const greet: Command<typeof OPTIONS> = {
  name: 'greet',
  help: 'Greets.\n',
  options: OPTIONS,
  variables: new Set(['GREETING_PORT']),
  read: ({ values, positionals: [name = '', ...rest] }) => {
    expectNone(rest);
    return async ({ env }) => {
      if (name === 'bug') throw new TypeError('a bug');
      if (name === '') throw new CommandFailure(1, 'nobody is\nthere');
      return `${env['HELLO'] ?? ''} ${name}${values.loud === true ? '!' : ''}\n`;
    };
  },
};

async function runGreet(...args: string[]) {
  let [stdout, stderr] = ['', ''];
  const code = await run(greet, args, {
    env: { HELLO: 'Hello' },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    catchSignals: () => new AbortController().signal,
  });
  return { code, stdout, stderr };
}

test('a command prints what it resolves to', async () => {
  expect(await runGreet('Ann', '--loud')).toEqual({ code: 0, stdout: 'Hello Ann!\n', stderr: '' });
});

test.each([[['-h']], [['help']], [['a', 'b', '--wrong', '--help']]])(
  '%j prints help and does nothing',
  async (args) => {
    expect(await runGreet(...args)).toEqual({ code: 0, stdout: 'Greets.\n', stderr: '' });
  },
);

test.each([
  [['Ann', 'Bob'], 'unexpected "Bob"'],
  [
    ['--greeting-port=1', 'Ann'],
    'there is no flag --greeting-port: set the environment variable GREETING_PORT',
  ],
])('%j is a usage error', async (args, message) => {
  expect(await runGreet(...args)).toEqual({
    code: 2,
    stdout: '',
    stderr: `greet: ${message}; see --help\n`,
  });
});

test('an expected failure is one line, whatever is in its message', async () => {
  expect(await runGreet()).toEqual({
    code: 1,
    stdout: '',
    stderr: String.raw`greet: nobody is\u{a}there` + '\n',
  });
});

test('a bug is rethrown', async () => {
  await expect(runGreet('bug')).rejects.toThrow(new TypeError('a bug'));
});

test('a progress bar is drawn on terminals alone', () => {
  let shown = '';
  const write = (text: string) => (shown += text);
  progressBar({ write }, 4)(1);
  expect(shown).toBe('');
  const show = progressBar({ isTTY: true, write }, 4000);
  show(1000);
  show();
  const bar = `${'█'.repeat(7)}${'░'.repeat(23)}  25 %  1,000`;
  expect(shown).toBe(`\r\u001B[K${bar}\r\u001B[K`);
});
