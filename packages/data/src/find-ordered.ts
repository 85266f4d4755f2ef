import { READ_MANY, type Answer } from './answers.ts';
import type { Arguments } from './arguments.ts';
import { orderedPageOf } from './ordered-arguments.ts';
import { projectionOf, projectPage } from './projection.ts';
import type { Table } from './table.ts';

/** A page in any order that an index has; undefined for what Prisma's engine answers. */
export function findOrdered(args: Arguments, table: Table): Answer | undefined {
  const projection = projectionOf(args, table, READ_MANY);
  const page = projection && orderedPageOf(args, table);
  if (page === undefined || projection === undefined) {
    return undefined;
  }
  return async () => projectPage(await table.findOrderedPages([page]), projection);
}
