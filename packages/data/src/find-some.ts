import { hasOnly, membersOf, onlyMember, type Arguments } from './arguments.ts';
import { typeOf } from './column-types.ts';
import { equalsOf } from './equal-to.ts';
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
  const { model, encodeId, findByIds, comparedColumns } = table;
  const where = membersOf(args['where']) ?? {};
  const condition = membersOf(where[model.id]);
  const { in: some, gt, lt } = condition ?? {};
  if (condition === undefined || !Array.isArray(some) || !hasOnly(condition, CONDITIONS)) {
    return undefined;
  }
  const conditions = equalsOf(where, comparedColumns, [model.id]);
  const order = onlyMember(args['orderBy'], model.id);
  const { take } = args;
  if (
    conditions === undefined ||
    typeOf(columnOf(model, model.id)).json !== 'integer' ||
    (order !== 'asc' && order !== 'desc') ||
    !isLimit(take)
  ) {
    return undefined;
  }
  const ids = new Set(some.map(encodeId));
  const known = [...ids].filter((id) => id !== undefined);
  if (known.length < ids.size || !isBound(gt) || !isBound(lt)) {
    return undefined;
  }
  const idOf = (row: Row) => BigInt(String(row[model.id]));
  return async () => {
    const rows = (await findByIds(known, conditions))
      .filter((row) => row !== undefined)
      .filter((row) => (gt === undefined || idOf(row) > gt) && (lt === undefined || idOf(row) < lt))
      .toSorted((one, other) => (idOf(one) < idOf(other) === (order === 'asc') ? -1 : 1));
    return rows.slice(0, take);
  };
}

/** Whether it is an integer, or absent. */
function isBound(value: unknown): value is bigint | number | undefined {
  return value === undefined || typeof value === 'bigint' || Number.isSafeInteger(value);
}
