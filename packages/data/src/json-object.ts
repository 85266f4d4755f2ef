import { typeOf } from './column-types.ts';
import type { Column } from './model.ts';
import { quoted } from './sql.ts';

/**
 * No function takes as many arguments as a table may have columns.
 *
 * @param times in UTC for what is compared: it is the same whatever the session's time zone
 */
export function jsonObject(
  members: readonly (readonly [column: Column, value: string])[],
  times: 'in UTC' | 'as they are' = 'in UTC',
): string {
  const inJson = times === 'in UTC' ? withTimesInUtc : withoutArrays;
  const values = members.map(
    ([column, value]) => `${inJson(column, value)} AS ${quoted(column.column)}`,
  );
  return `(SELECT to_jsonb(object.*) FROM (SELECT ${values.join(', ')}) AS object)`;
}

function withTimesInUtc(column: Column, value: string): string {
  if (typeOf(column).time !== 'with time zone') {
    return withoutArrays(column, value);
  }
  return column.isList === true
    ? `ARRAY(SELECT ${inUtc('item')} FROM unnest(${value}) WITH ORDINALITY AS items (item, number) ORDER BY number)`
    : inUtc(value);
}

/** Arrays within an array of JSON would be taken for further dimensions of it. */
function withoutArrays(column: Column, value: string): string {
  return column.isList === true && typeOf(column).json === 'any' ? `${value}::text` : value;
}

function inUtc(value: string): string {
  return `(to_jsonb(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}
