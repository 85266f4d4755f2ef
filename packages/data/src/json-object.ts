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
  if (column.pgType === 'timestamptz') {
    return inUtc(value);
  }
  if (column.pgType === 'timestamptz[]') {
    return `ARRAY(SELECT ${inUtc('item')} FROM unnest(${value}) WITH ORDINALITY AS items (item, number) ORDER BY number)`;
  }
  return withoutArrays(column, value);
}

/** Arrays within an array of JSON would be taken for further dimensions of it. */
function withoutArrays({ kind, isList }: Column, value: string): string {
  return isList && kind === 'Json' ? `${value}::text` : value;
}

function inUtc(value: string): string {
  return `(to_jsonb(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}
