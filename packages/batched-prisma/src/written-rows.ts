import { hasOnly, type Arguments } from './arguments.ts';
import { project } from './load.ts';
import type { Row } from './model.ts';
import { projectionOf, type Projection } from './projection.ts';
import type { Table } from './table.ts';

const WRITE = new Set(['where', 'data', 'create', 'update', 'select', 'include']);

/**
 * A write by Prisma's engine that selects lists of relations, which statements read afterwards: the engine would read all
 * rows of those that are below another relation. Undefined for one without lists, or with some that statements can't read.
 *
 * @param write by the engine, without a selection
 */
export function writeAndSelect(
  { select, include, ...args }: Arguments,
  table: Table,
  tables: ReadonlyMap<string, Table>,
  write: (args: Arguments) => PromiseLike<unknown>,
): (() => Promise<unknown>) | undefined {
  const projection = hasOnly(args, WRITE)
    ? projectionOf({ select, include }, table.model, tables)
    : undefined;
  if (projection === undefined || !hasList(projection)) {
    return undefined;
  }
  return async () => {
    const written = await write(args);
    const row: Row = { ...(typeof written === 'object' ? written : {}) };
    const [projected] = await project([row], projection, table);
    return projected;
  };
}

function hasList({ relations }: Projection): boolean {
  return relations.some(
    ({ relation, projection }) => relation.kind === 'many' || hasList(projection),
  );
}
