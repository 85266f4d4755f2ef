import { CommandFailure } from './command-failure.ts';

/** The least and the greatest number that is accepted. */
interface Range {
  /** By default 1. */
  readonly least?: number;
  readonly most: number;
}

/** Reads an option that is a whole number. @throws CommandFailure (2) */
export function wholeNumber(option: string, text: string, { least = 1, most }: Range): number {
  const number = Number(text);
  if (!/^(?:0|[1-9]\d{0,14})$/.test(text) || number < least || number > most) {
    throw new CommandFailure(2, `${option} must be a number, ${least} to ${most}; see --help`);
  }
  return number;
}
