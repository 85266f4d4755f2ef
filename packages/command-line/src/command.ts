import type { parseArgs, ParseArgsConfig } from 'node:util';

export type Options = NonNullable<ParseArgsConfig['options']>;

/** No options but --help. */
export type NoOptions = Record<string, never>;

/** The arguments of a command, read by its options. */
export type Given<O extends Options> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: true }>
>;

export interface Command<O extends Options = NoOptions> {
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
  readonly read: (given: Given<O>) => (io: CommandIo) => Promise<string>;
}

/** What a command uses of the process that it runs in. */
export interface CommandIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Catches SIGINT and SIGTERM from now on: they abort what is returned, and end nothing. */
  readonly catchSignals: () => AbortSignal;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}
