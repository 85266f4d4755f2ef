/** A command failed (1), or its usage was wrong (2); the message is printed as one line. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
