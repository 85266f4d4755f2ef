import type { Json } from '@store-gateway/ops';
import type { InputRule } from '@store-gateway/graphql';
import type { IdColumn } from './id-columns.ts';

/** What the arguments `after` and `before` of a list take, and what they say of it. */
export interface CursorOptions {
  readonly options: { readonly rule: InputRule; readonly example: Json };
  readonly after: string;
  readonly before: string;
}

/** Of a list that is always in the order of ids. */
export function cursorOfIds({ rule, example }: IdColumn, noun: string): CursorOptions {
  return {
    options: { rule, example },
    after: `The id of the last ${noun} seen. The list continues after this id.`,
    before: `The id of the first ${noun} seen. The list ends before this id.`,
  };
}

/** More than the values of an index's row take. */
const MAX_LENGTH = 16_384;

const CURSOR: InputRule = {
  expected: 'a cursor of this list',
  accepts: (value) => typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH,
  jsonSchema: { type: 'string', minLength: 1 },
};

/** Of a list with several orders: which one a cursor is of is in it. */
export function cursorOfOrders({ example }: IdColumn, noun: string): CursorOptions {
  const where = (end: string): string =>
    `The cursor of the ${end} ${noun} seen, which is its id if the list is in the order of ids.`;
  return {
    options: { rule: CURSOR, example: typeof example === 'number' ? String(example) : example },
    after: `${where('last')} The list continues after it.`,
    before: `${where('first')} The list ends before it.`,
  };
}
