/** A command that could not be done (1) or not be understood (2); its message is told in a line. */
export class CommandFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(exitCode: 1 | 2, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
