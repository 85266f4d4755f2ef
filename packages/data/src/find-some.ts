import { hasOnly, membersOf, onlyMember, type Arguments } from './arguments.ts';
import { typeOf } from './column-types.ts';
import { equalTo } from './equal-to.ts';
import type { Row } from './model.ts';
import { isLimit } from './page.ts';
import { columnOf } from './sql.ts';
import type { Table } from './table.ts';

const CONDITIONS = new Set(['in', 'gt', 'lt']);

/**
 * The rows of some ids, in their order, as far as `gt`, `lt`, values of other columns and `take` leave them in: found by id, in
 * the batch of those that are asked for one by one. Undefined for other conditions.
 */
export function findSome(args: Arguments, table: Table): (() => Promise<Row[]>) | undefined {
  const { model, encodeId, findByIds } = table;
  const { [model.id]: ofId, ...others } = membersOf(args['where']) ?? {};
  const condition = membersOf(ofId);
  const { in: some, gt, lt } = condition ?? {};
  if (condition === undefined || !Array.isArray(some) || !hasOnly(condition, CONDITIONS)) {
    return undefined;
  }
  const matches = rowMatcher(others, table);
  const order = onlyMember(args['orderBy'], model.id);
  const { take } = args;
  if (
    matches === undefined ||
    typeOf(columnOf(model, model.id)).json !== 'integer' ||
    (order !== 'asc' && order !== 'desc') ||
    !isLimit(take)
  ) {
    return undefined;
  }
  const ids = new Set(some.map(encodeId));
  const [after, before] = [gt, lt].map(boundOf);
  const known = [...ids].filter((id) => id !== undefined);
  if (known.length < ids.size || after === null || before === null) {
    return undefined;
  }
  const idOf = (row: Row) => BigInt(String(row[model.id]));
  return async () => {
    const found = (await findByIds(known)).filter((row) => row !== undefined);
    const rows = found
      .filter((row) => after === undefined || idOf(row) > after)
      .filter((row) => before === undefined || idOf(row) < before)
      .filter(matches)
      .toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
    const sorted = order === 'asc' ? rows : rows.toReversed();
    return sorted.slice(0, take);
  };
}

/** Whether rows have the values that columns are to equal; undefined if there are other conditions. */
function rowMatcher(
  conditions: Arguments,
  { comparedColumns }: Table,
): ((row: Row) => boolean) | undefined {
  const expected: ((row: Row) => boolean)[] = [];
  for (const field in conditions) {
    const condition = conditions[field];
    const column = comparedColumns.get(field);
    if (
      column === undefined ||
      !typeOf(column.column).isExact ||
      equalTo(condition, column) === undefined
    ) {
      return undefined;
    }
    const { encode } = column;
    const set = onlyMember(condition, 'in');
    const values = new Set((Array.isArray(set) ? set : [condition]).map(encode));
    expected.push((row) => row[field] !== null && values.has(encode(row[field])));
  }
  return (row) => expected.every((isExpected) => isExpected(row));
}

/** An integer; undefined if there is none, null for anything else. */
function boundOf(value: unknown): bigint | undefined | null {
  if (value === undefined || typeof value === 'bigint') {
    return value;
  }
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : null;
}
