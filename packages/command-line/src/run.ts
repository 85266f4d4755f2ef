import { parseArgs } from 'node:util';
import { errorCode } from '@gateway/errors/coded-error';
import { StartupFailure } from '@gateway/errors/startup-failure';
import { CommandFailure } from './command-failure.ts';
import type { Command, CommandIo, Given, Options } from './command.ts';
import { printable } from './printable.ts';
import { variableGivenAsFlag } from './variable-flag.ts';

/** 0 done, 1 failed, 2 not understood. */
export type ExitCode = 0 | 1 | 2;

/**
 * Does what the arguments of a command ask for. What the user or the database has to mend is one line on stderr,
 * `NAME: message`; anything else that is thrown is a bug, and is thrown on.
 */
export async function run<O extends Options>(
  command: Command<O>,
  args: readonly string[],
  io: CommandIo,
): Promise<ExitCode> {
  try {
    io.stdout.write(await outputOf(command, [...args], io));
    return 0;
  } catch (error) {
    if (!isExpected(error)) {
      throw error;
    }
    io.stderr.write(`${command.name}: ${printable(error.message)}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

async function outputOf<O extends Options>(
  { help, options, read }: Command<O>,
  args: string[],
  io: CommandIo,
): Promise<string> {
  return asksForHelp(args) ? help : read(parse(args, options))(io);
}

/** Whatever else there is: who doesn't get the arguments right is who needs help. */
function asksForHelp(args: string[]): boolean {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  return args[0] === 'help' || parseArgs({ args, options, strict: false }).values.help === true;
}

function parse<O extends Options>(args: string[], options: O): Given<O> {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const told = variableGivenAsFlag(args, options) ?? reason.replaceAll('\n', ' ');
    throw new CommandFailure(2, `${told}; see --help`);
  }
}

/** Whether an error is told in a line. */
function isExpected(error: unknown): error is Error {
  return (
    error instanceof CommandFailure ||
    error instanceof StartupFailure ||
    errorCode(error) !== undefined
  );
}
