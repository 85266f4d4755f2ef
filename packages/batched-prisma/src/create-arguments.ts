import { randomUUID } from 'node:crypto';
import { DbNull } from '@prisma/client/runtime/client';
import { membersOf } from './arguments.ts';
import type { NewRow } from './create.ts';
import type { Column } from './model.ts';
import type { Table } from './table.ts';

/** The row that `data` describes, its defaults included; undefined if Prisma's engine has to make it, or to refuse it. */
export function newRowOf(data: unknown, { model, encoders }: Table): NewRow | undefined {
  const members = membersOf(data);
  if (members === undefined) {
    return undefined;
  }
  const now = new Date();
  let used = 0;
  const row: (string | null)[] = [];
  for (const column of model.columns) {
    const given = members[column.field];
    used += given === undefined ? 0 : 1;
    const isFromSequence =
      given === undefined && column.field === model.id && model.sequence !== undefined;
    const value = isFromSequence
      ? null
      : encoders.get(column.field)?.(given === undefined ? defaultOf(column, now) : given);
    if (value === undefined) {
      return undefined;
    }
    row.push(value);
  }
  return used === Object.keys(members).length ? row : undefined;
}

function defaultOf({ default: byDefault, isRequired, kind }: Column, now: Date): unknown {
  switch (byDefault) {
    case undefined:
      return isRequired ? undefined : kind === 'Json' ? DbNull : null;
    case 'now':
      return now;
    case 'uuid':
      return randomUUID();
    case 'autoincrement':
    case 'other':
      return undefined;
    default:
      return byDefault.constant;
  }
}
