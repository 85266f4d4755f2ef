export { CommandFailure } from './command-line/command-failure.ts';
export type { Command, CommandIo, Given, Options, Output } from './command-line/command.ts';
export { parseDuration } from './command-line/duration.ts';
export { printable } from './command-line/printable.ts';
export { progressBar } from './command-line/progress-bar.ts';
export { expectNone, runCommand, runIfMain } from './command-line/run-command.ts';
export { run } from './command-line/run.ts';
export { table } from './command-line/table.ts';
export { wholeNumber } from './command-line/whole-number.ts';
