import { membersOf, onlyMember, type Arguments } from './arguments.ts';
import { typeOf } from './column-types.ts';
import type { ComparedColumn, ComparedColumns } from './conditions.ts';
import type { Column } from './model.ts';
import { arrayLiteral } from './sql.ts';

/** What a column equals. */
export interface Equal {
  readonly column: Column;
  /** A value, or an array of several. */
  readonly value: string;
  readonly size: number;
}

/** What a condition of Prisma says that a column equals: a value, or one `in` a set; undefined if it says anything else. */
function equalTo(condition: unknown, { column, encode }: ComparedColumn): Equal | undefined {
  if (membersOf(condition) === undefined) {
    const value = encode(condition);
    return value == null ? undefined : { column, value, size: 1 };
  }
  const some = onlyMember(condition, 'in');
  if (!Array.isArray(some) || !typeOf(column).filters.includes('in')) {
    return undefined;
  }
  const values: string[] = [];
  for (const each of new Set(some.map(encode))) {
    if (each == null) {
      return undefined;
    }
    values.push(each);
  }
  const [value] = values;
  return value === undefined
    ? undefined
    : { column, value: values.length === 1 ? value : arrayLiteral(values), size: values.length };
}

/**
 * What these conditions compare columns with; undefined if one of them isn't an equality.
 *
 * @param except members that are left out
 */
export function equalsOf(
  conditions: Arguments,
  columns: ComparedColumns,
  except: readonly string[],
): readonly Equal[] | undefined {
  const equals: Equal[] = [];
  for (const field in conditions) {
    if (except.includes(field)) {
      continue;
    }
    const column = columns.get(field);
    const equal = column && equalTo(conditions[field], column);
    if (equal === undefined) {
      return undefined;
    }
    equals.push(equal);
  }
  return equals;
}
