import type { parseArgs, ParseArgsConfig } from 'node:util';

/** Options as node:util's parseArgs takes them. */
export type Options = NonNullable<ParseArgsConfig['options']>;

/** No options but --help. */
type NoOptions = Record<string, never>;

/** The arguments of a command, parsed by its options. */
export type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

/** A command of a command-line program: its help, its options, and what it does. */
export interface Command<O extends Options = NoOptions> {
  /** Begins each of its lines on stderr. */
  readonly name: string;
  /** What --help prints. */
  readonly help: string;
  /** As parseArgs takes them; --help is there anyway. */
  readonly options: O;
  /** Environment variables that it reads: given as a flag, one gets a hint to set it. */
  readonly variables?: ReadonlySet<string>;
  /**
   * Checks the arguments.
   *
   * @returns does what they ask for; resolves to what is printed on stdout
   * @throws CommandFailure (2) for a usage error
   */
  readonly read: (given: Given<O>) => (io: CommandIo) => Promise<string>;
}

/** What a command uses of its process. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  /** From now on SIGINT and SIGTERM abort the returned signal instead of ending the process. */
  readonly catchSignals: () => AbortSignal;
}

/** A stream that text is written to, such as process.stdout. */
export interface Output {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Writes text as it is, without a line break of its own. */
  readonly write: (text: string) => unknown;
}
