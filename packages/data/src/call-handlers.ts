import type { AuditEntry } from './audit.ts';
import { type Arguments, hasOnly, membersOf, onlyMember } from './calls.ts';
import { typeOf } from './column-types.ts';
import { equalsOf } from './conditions.ts';
import { columnOf, type Row, type WriteOperation } from './model.ts';
import { isLimit, pageOf } from './page.ts';
import { presentRow } from './prisma-internals.ts';
import {
  hasLists,
  hasOwnLists,
  project,
  projectionOf,
  projectionOfWrite,
  projectOne,
  projectPage,
  type Table,
} from './projection.ts';

/** Handles a call with statements. */
export type CallHandler = () => Promise<unknown>;

/** A handler, or undefined to fall back to Prisma's engine. */
type Handler = CallHandler | undefined;

const READ_ONE = new Set(['where', 'select', 'include']);
const READ_MANY = new Set(['where', 'orderBy', 'take', 'select', 'include']);
const WRITTEN = {
  create: new Set(['data', 'select']),
  update: new Set(['where', 'data', 'select', 'include']),
  delete: new Set(['where', 'select', 'include']),
};
const SOME = new Set([...READ_MANY, 'skip', 'cursor', 'distinct']);
/** For each method, the arguments that a call may have if statements read its relation lists. */
const BY_ENGINE = {
  findUnique: READ_ONE,
  findUniqueOrThrow: READ_ONE,
  findFirst: SOME,
  findFirstOrThrow: SOME,
  findMany: SOME,
  ...WRITTEN,
  create: new Set(['data', 'select', 'include']),
  upsert: new Set(['where', 'create', 'update', 'select', 'include']),
};

/** The name of a Prisma model's method. */
export type Operation = keyof typeof BY_ENGINE;

export function findUnique(args: Arguments, table: Table): Handler {
  const { model, findByIds, encodeId, comparedColumns } = table;
  const where = membersOf(args['where']) ?? {};
  const id = encodeId(where[model.id]);
  const conditions = equalsOf(where, comparedColumns, [model.id]);
  const projection = projectionOf(args, table, READ_ONE);
  if (id === undefined || conditions === undefined || projection === undefined) {
    return undefined;
  }
  return async () => {
    const [found] = await findByIds([id], conditions);
    return found === undefined ? null : projectOne(found, projection);
  };
}

export function findUniqueOrThrow(args: Arguments, table: Table): Handler {
  const find = findUnique(args, table);
  return find && (async () => presentRow(await find(), 'query', table.model.name));
}

export function findMany(args: Arguments, table: Table): Handler {
  const projection = projectionOf(args, table, READ_MANY);
  if (projection === undefined) {
    return undefined;
  }
  const some = findSome(args, table);
  if (some !== undefined) {
    return async () => project(await some(), projection);
  }
  const page = pageOf(args, table);
  return page && (async () => projectPage(await table.findPages([page]), projection));
}

/**
 * Handles a create, or a change by id. Relations are read after the commit, so a delete that selects the row's own lists falls
 * back to Prisma's engine.
 */
export function write(
  operation: WriteOperation,
  args: Arguments,
  table: Table,
  audit?: AuditEntry,
): Handler {
  const encoded =
    operation === 'create' ? table.encodeCreate(args['data']) : table.encodeChange(operation, args);
  const projection = projectionOfWrite(args, table, WRITTEN[operation]);
  if (
    typeof encoded === 'string' ||
    projection === undefined ||
    (operation === 'create' && projection.relations.length > 0) ||
    (operation === 'update' && encoded.shape.set.length === 0) ||
    (operation === 'delete' && hasOwnLists(projection))
  ) {
    return undefined;
  }
  return async () => {
    const written = await table.write({ write: encoded, audit });
    return projectOne(presentRow(written?.row, operation, table.model.name), projection);
  };
}

/**
 * Runs a call through Prisma's engine without its selection, and reads the selected relation lists with statements: for several
 * rows, or within a different relation, the engine would read entire lists. Returns undefined for a call without relation
 * lists, or with a list that statements can't read.
 *
 * @param byEngine runs the call
 */
export function selectAfterwards(
  operation: Operation,
  args: Arguments,
  table: Table,
  byEngine: (args: Arguments) => unknown,
): Handler {
  const projection = projectionOfWrite(args, table, BY_ENGINE[operation]);
  if (
    projection === undefined ||
    !hasLists(projection) ||
    (operation === 'delete' && hasOwnLists(projection))
  ) {
    return undefined;
  }
  const { select: _select, include: _include, ...others } = args;
  return async () => {
    const found: unknown = await byEngine(others);
    if (Array.isArray(found)) {
      return project(found.map(rowFrom), projection);
    }
    return found === null ? null : projectOne(rowFrom(found), projection);
  };
}

function rowFrom(found: unknown): Row {
  return { ...(typeof found === 'object' ? found : {}) };
}

const CONDITIONS = new Set(['in', 'gt', 'lt']);

/**
 * Handles a list of rows that are selected by their ids, sorted by id, filtered by `gt`, `lt` and values of other columns, and
 * limited by `take`. The rows are looked up in the same batch as single rows. Returns undefined for other conditions.
 */
function findSome(args: Arguments, table: Table): (() => Promise<Row[]>) | undefined {
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

/** Whether a bound is an integer, or absent. */
function isBound(value: unknown): value is bigint | number | undefined {
  return value === undefined || typeof value === 'bigint' || Number.isSafeInteger(value);
}
