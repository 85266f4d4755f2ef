import { parseArgs, type ParseArgsConfig } from 'node:util';
import { errorCode } from '../errors.ts';
import { StartupFailure } from '../startup-failure.ts';
import { CommandFailure } from './command-failure.ts';
import { printable } from './printable.ts';
import { variableGivenAsFlag } from './variable-flag.ts';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The arguments of a command, read by its options. */
export type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

export interface Command<O extends Options> {
  /** What its lines on stderr begin with. */
  readonly name: string;
  /** What --help prints. */
  readonly help: string;
  /** Its options but for --help, as parseArgs takes them. */
  readonly options: O;
  /**
   * What the arguments ask to be done: something that resolves to what is printed on stdout.
   *
   * @throws CommandFailure (2) if they can't be understood
   */
  readonly read: (given: Given<O>) => () => Promise<string>;
}

/**
 * Does what the arguments of this process ask for. What the user or the database has to mend is one line
 * on stderr, `NAME: message`. Exit codes: 0 done, 1 failed, 2 not understood.
 */
export async function runCommand<const O extends Options>(command: Command<O>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads, such as head, may have seen enough.
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
  try {
    process.stdout.write(await run(command, process.argv.slice(2)));
  } catch (error) {
    if (!isExpected(error)) {
      throw error;
    }
    process.stderr.write(`${command.name}: ${printable(error.message)}\n`);
    process.exitCode = error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** @throws CommandFailure (2) if there are arguments that a command has no use for */
export function expectNone(unexpected: readonly string[]): void {
  if (unexpected.length > 0) {
    throw new CommandFailure(2, `unexpected "${unexpected.join(' ')}"; see --help`);
  }
}

async function run<O extends Options>(
  { help, options, read }: Command<O>,
  args: string[],
): Promise<string> {
  return asksForHelp(args) ? help : read(parse(args, options))();
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
