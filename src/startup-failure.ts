/**
 * A reason not to start that the operator can do something about: its message is the one line that
 * they are shown, without a stack trace.
 */
export class StartupFailure extends Error {
  override readonly name = 'StartupFailure';
}
