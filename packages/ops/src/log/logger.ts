/** Writes a line: a message, or its members and a message. An error is the member `err`. */
export interface LogMethod {
  (message: string): void;
  (members: object, message: string): void;
}

/** The members of a request's line. */
export type RequestMembers = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** What the packages log by: pino, `console`, or what wraps another library. */
export interface Logger {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** Before the process ends; by default `error`. */
  readonly fatal?: LogMethod;
}

/** What a service's log may have besides. */
export interface LoggerOptions {
  /** Writes the line of a request, which its members name; by default `info` does. */
  readonly request?: (members: RequestMembers, message: string) => void;
  /** How many lines were lost because nobody read them in time; by default none. */
  readonly droppedLines?: () => number;
}
