import { integerBetween } from '@store-gateway/graphql';

/** How many items a list has at most if nothing is said of it. */
export const DEFAULT_SIZE = 20;

export const MAX_SIZE = 100;

/** Options of an argument that says how many items its field lists at most. */
export function sizeFrom(minimum: 0 | 1) {
  return { rule: integerBetween(minimum, MAX_SIZE), defaultListSize: DEFAULT_SIZE };
}
