import type { Column } from './model.ts';
import { quoted } from './sql.ts';

/** Written the same whatever the session's time zone. No function takes as many arguments as a table may have columns. */
export function jsonObject(members: readonly (readonly [column: Column, value: string])[]): string {
  const values = members.map(
    ([column, value]) => `${inJson(column, value)} AS ${quoted(column.column)}`,
  );
  return `(SELECT to_jsonb(object.*) FROM (SELECT ${values.join(', ')}) AS object)`;
}

function inJson({ kind, pgType, isList }: Column, value: string): string {
  if (pgType === 'timestamptz') {
    return inUtc(value);
  }
  if (pgType === 'timestamptz[]') {
    return `ARRAY(SELECT ${inUtc('item')} FROM unnest(${value}) WITH ORDINALITY AS items (item, number) ORDER BY number)`;
  }
  // Arrays within an array of JSON would be taken for further dimensions of it.
  return isList && kind === 'Json' ? `${value}::text` : value;
}

function inUtc(value: string): string {
  return `(to_jsonb(${value} AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}
