import { toInt64 } from '../schema/input-rules.ts';

/**
 * The integer that a query parameter spells, for an Int. Everything else, be it empty, repeated or no
 * integer, stays as it is: no Int takes a string or a list.
 */
export function integerInText(parameter: unknown): unknown {
  const integer = typeof parameter === 'string' ? toInt64(parameter) : undefined;
  return integer === undefined ? parameter : Number(integer);
}

/**
 * The integer that a member of a JSON body is, for an ID. An ID would also take a string of digits,
 * which the contract doesn't: whatever is no integer becomes NaN, which no ID takes.
 */
export function integerOfJson(member: unknown): unknown {
  if (member === undefined || typeof member === 'bigint') {
    return member;
  }
  return typeof member === 'number' && Number.isInteger(member) ? String(member) : Number.NaN;
}
