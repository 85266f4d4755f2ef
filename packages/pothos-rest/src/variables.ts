import { toInt64 } from '@gateway/pothos-plugins/input-rules';

/**
 * Tells a variable of what a client sent for it. It judges nothing: what it can't read it hands on as
 * something that the schema refuses.
 */
export type Read = (sent: unknown) => unknown;

export const asSent: Read = (sent) => sent;

/**
 * The integer that a query parameter spells, for an Int. Everything else, be it empty, repeated or no
 * integer, stays as it is: no Int takes a string or a list.
 */
export const integerInText: Read = (parameter) => {
  const integer = typeof parameter === 'string' ? toInt64(parameter) : undefined;
  return integer === undefined ? parameter : Number(integer);
};

/**
 * The integer that a member of a JSON body is, for an ID. An ID would also take a string of digits,
 * which the contract doesn't: whatever is no integer becomes NaN, which no ID takes.
 */
export const integerOfJson: Read = (member) => {
  if (member === undefined || typeof member === 'bigint') {
    return member;
  }
  return typeof member === 'number' && Number.isInteger(member) ? String(member) : Number.NaN;
};

/** Reads named values. Those that were not sent stay out: GraphQL takes an undefined one for null. */
export function readAll(
  reads: Readonly<Record<string, Read>> | undefined,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(reads ?? {})) {
    const value = read(sent[name]);
    if (value !== undefined) {
      values[name] = value;
    }
  }
  return values;
}
