import type { ExecutionArgs } from 'graphql';

/** As many errors of an executor are no harm: each takes about 10 µs. */
const MAX_MEMBERS = 50;

/**
 * Whether variables have so many members and items that the faults in them have to be bounded before an executor sees them:
 * graphql-jit words all that it finds, and graphql-js prints the whole value in each of 50 errors.
 */
export function areLarge({ variableValues }: ExecutionArgs): boolean {
  return membersLeft(variableValues, MAX_MEMBERS) < 0;
}

/** What is left of a number of members once those of a value are counted, which ends when there are more. */
function membersLeft(value: unknown, most: number): number {
  let left = most;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; left >= 0 && index < value.length; index += 1) {
      left = membersLeft(value[index], left);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name in value) {
      left = membersLeft(Reflect.get(value, name), left - 1);
      if (left < 0) {
        break;
      }
    }
  }
  return left;
}
