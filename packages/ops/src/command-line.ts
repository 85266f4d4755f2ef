import { parseArgs, type ParseArgsConfig } from 'node:util';
import { StartupFailure } from './startup-failure.ts';

/** A failure of a command (exit code 1), or a usage error (2). The message is printed as one line. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/**
 * Makes a text safe to print on one line of a terminal. Line breaks, escape characters (including C1 ones, which JSON leaves
 * unchanged) and bidirectional controls are spelled out, so that no name can forge a row.
 */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );
}

const MILLISECONDS = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The longest duration, 36,500 days, which is well within the range of a Date. */
const MAXIMUM_MS = 36_500 * 86_400_000;

/** Parses a text such as "90d", "12h", "30m" or "45s" into milliseconds; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (MILLISECONDS.get(unit) ?? Number.NaN);
  return milliseconds <= MAXIMUM_MS ? milliseconds : undefined;
}

/** The range of accepted numbers. */
interface Range {
  /** Defaults to 1. */
  readonly least?: number;
  readonly most: number;
}

/** Parses an option that must be a whole number. @throws CommandFailure (2) */
export function wholeNumber(option: string, text: string, { least = 1, most }: Range): number {
  const number = Number(text);
  if (!/^(?:0|[1-9]\d{0,14})$/.test(text) || number < least || number > most) {
    throw new CommandFailure(2, `${option} must be a number from ${least} to ${most}; see --help`);
  }
  return number;
}

/** Formats rows of cells as lines of text, with left-aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

const WIDTH = 30;

/**
 * Creates a progress bar for a terminal. If the stream isn't a terminal, nothing is written.
 *
 * @param total the number of steps
 * @returns a function that draws the line or, without an argument, clears it
 */
export function progressBar(stream: Output, total: number): (done?: number) => void {
  return (done) => {
    if (stream.isTTY !== true) return;
    const share = (done ?? 0) / total;
    const bar = '█'.repeat(share * WIDTH).padEnd(WIDTH, '░');
    const percent = String(Math.floor(share * 100)).padStart(3);
    const text = done === undefined ? '' : `${bar} ${percent} %  ${done.toLocaleString('en')}`;
    stream.write(`\r\u001B[K${text}`);
  };
}

/** Options in the format of node:util's parseArgs. */
export type Options = NonNullable<ParseArgsConfig['options']>;

/** No options but --help. */
type NoOptions = Record<string, never>;

/** The arguments of a command, parsed according to its options. */
export type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

/** A command: its help, its options, and what it does. */
export interface Command<O extends Options = NoOptions> {
  /** The prefix of each line that the command writes to stderr. */
  readonly name: string;
  /** The text that --help prints. */
  readonly help: string;
  /** Options in the format of parseArgs; --help is always available. */
  readonly options: O;
  /** Environment variables that the command reads. If one is passed as a flag, the error suggests setting the variable. */
  readonly variables?: ReadonlySet<string>;
  /**
   * Checks the arguments.
   *
   * @returns a function that runs the command; it resolves to the text for stdout
   * @throws CommandFailure (2) for a usage error
   */
  readonly read: (given: Given<O>) => (io: CommandIo) => Promise<string>;
}

/** The parts of a process that a command uses. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Makes SIGINT and SIGTERM abort the returned signal instead of ending the process. */
  readonly catchSignals: () => AbortSignal;
}

/** A stream that text is written to, such as process.stdout. */
export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Writes text unchanged, without adding a line break. */
  readonly write: (text: string) => unknown;
}

/** 0 if the command succeeded, 1 if it failed, 2 for a usage error. */
type ExitCode = 0 | 1 | 2;

/**
 * Runs a command with arguments. An expected failure is written to stderr as one line, `NAME: message`; any other error is a
 * bug, and is rethrown.
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
    const message = await expectedMessage(error);
    if (message === undefined) {
      throw error;
    }
    io.stderr.write(`${command.name}: ${printable(message)}\n`);
    return error instanceof CommandFailure ? error.exitCode : 1;
  }
}

/** Whether the arguments include --help. The other arguments may be invalid, because that is when help is needed. */
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

/** Returns the message of an error that isn't a bug; undefined for any other error. */
async function expectedMessage(error: unknown): Promise<string | undefined> {
  if (error instanceof CommandFailure || error instanceof StartupFailure) {
    return error.message;
  }
  try {
    const { errorCode } = await import('./errors.ts');
    return error instanceof Error && errorCode(error) !== undefined ? error.message : undefined;
  } catch {
    // Programs without graphql, which errors.ts needs, have no coded errors.
    return undefined;
  }
}

/** Runs a command with the arguments, the environment and the streams of this process, and sets its exit code. */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as head may close the pipe early.
    if (error.code !== 'EPIPE') {
      throw error;
    }
  });
  const { stdout, stderr } = process;
  // oxlint-disable-next-line node/no-process-env -- an entry point passes the environment on
  const { env } = process;
  const code = await run(command, args, { env, stdout, stderr, catchSignals });
  // The command may have set an exit code itself.
  if (code !== 0) process.exitCode = code;
}

/** Runs a command if its module is the process's main program. Tests import the module instead. */
export async function runIfMain<const O extends Options>(
  // Undefined before Node 24.2.
  { main }: { readonly main?: boolean },
  command: Command<O>,
): Promise<void> {
  if (main !== false) {
    await runCommand(command);
  }
}

/** @throws CommandFailure (2) if there are surplus arguments */
export function rejectPositionals(surplus: readonly string[]): void {
  if (surplus.length > 0) {
    throw new CommandFailure(2, `unexpected "${surplus.join(' ')}"; see --help`);
  }
}

function catchSignals(): AbortSignal {
  const interruption = new AbortController();
  const interrupt = () => {
    interruption.abort();
  };
  // Each signal may come twice: a terminal sends Ctrl-C to both npm and this process, and npm forwards it.
  process.on('SIGTERM', interrupt).on('SIGINT', interrupt);
  return interruption.signal;
}
