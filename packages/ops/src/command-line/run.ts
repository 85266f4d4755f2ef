import { parseArgs } from 'node:util';
import { errorCode } from '../errors/coded-error.ts';
import { StartupFailure } from '../errors/startup-failure.ts';
import { CommandFailure } from './command-failure.ts';
import type { Command, CommandIo, Given, Options } from './command.ts';
import { printable } from './printable.ts';

/** 0 done, 1 failed, 2 usage error. */
type ExitCode = 0 | 1 | 2;

/**
 * Does what the arguments of a command ask for. An expected failure is one line on stderr, `NAME: message`; any other
 * error is a bug, and is rethrown.
 */
export async function run<O extends Options>(
  command: Command<O>,
  args: readonly string[],
  io: CommandIo,
): Promise<ExitCode> {
  try {
    const act = asksForHelp([...args])
      ? () => command.help
      : command.read(parse(command, [...args]));
    io.stdout.write(await act(io));
    return 0;
  } catch (error) {
    if (!isExpected(error)) {
      throw error;
    }
    io.stderr.write(`${command.name}: ${printable(error.message)}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** Whatever the other arguments are: those who get them wrong need help. */
function asksForHelp(args: string[]): boolean {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  return args[0] === 'help' || parseArgs({ args, options, strict: false }).values.help === true;
}

function parse<O extends Options>({ options, variables }: Command<O>, args: string[]): Given<O> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [, flag = ''] = /^Unknown option '--([\w-]+)/.exec(reason) ?? [];
    const variable = flag.toUpperCase().replaceAll('-', '_');
    const message =
      variables?.has(variable) === true
        ? `there is no flag --${flag}: set the environment variable ${variable}`
        : reason.replaceAll('\n', ' ');
    throw new CommandFailure(2, `${message}; see --help`);
  }
}

function isExpected(error: unknown): error is Error {
  return (
    error instanceof CommandFailure ||
    error instanceof StartupFailure ||
    errorCode(error) !== undefined
  );
}
