import { type Arguments, conditionsBeside, hasOnly, isPlainObject, membersOf } from './calls.ts';
import type { Encode } from './column-types.ts';
import { type Equal, equalsOf } from './conditions.ts';
import type { FindByIds } from './find-by-ids.ts';
import type { Relation, Row, WriteOperation } from './model.ts';
import { type FindPages, type PagedTable, pageOfKeyOf } from './page.ts';
import type { ListedRows } from './rows.ts';
import type { MakeWrite, Write } from './write-statements.ts';

/** How statements read and write the rows of a model. */
export interface Table extends PagedTable {
  /** All tables, by the names of their models. */
  readonly tables: ReadonlyMap<string, Table>;
  readonly findByIds: FindByIds;
  readonly findPages: FindPages;
  readonly write: MakeWrite;
  readonly encodeId: Encode;
  /**
   * Instead of a write, both encoders return the name of a field or argument that statements don't support, if there is one.
   */
  readonly encodeCreate: (data: unknown) => Write | string;
  readonly encodeChange: (
    operation: Exclude<WriteOperation, 'create'>,
    args: Arguments,
  ) => Write | string;
}

/** The parts of each row to return: its `fields` (the whole row if undefined) and its related rows. */
export interface Projection {
  readonly fields: readonly string[] | undefined;
  readonly relations: readonly LoadedRelation[];
}

interface LoadedRelation {
  readonly field: string;
  readonly isList: boolean;
  /** Whether the list has a prefix condition, because of which a read may fall back to Prisma's engine. */
  readonly isPrefixed: boolean;
  /** The parts of each related row to return. */
  readonly projection: Projection;
  /** Returns the relation's value for each row. */
  readonly load: (rows: readonly Row[]) => Promise<readonly unknown[]>;
}

export const SELECTION: ReadonlySet<string> = new Set(['select', 'include']);
const TO_MANY = new Set(['select', 'include', 'where', 'orderBy', 'take']);

/**
 * Returns the projection that `select` and `include` request; undefined if statements don't support it.
 *
 * @param names the names of the allowed arguments
 */
export function projectionOf(
  args: Arguments,
  table: Table,
  names: ReadonlySet<string>,
): Projection | undefined {
  if (!hasOnly(args, names)) {
    return undefined;
  }
  const { select, include } = args;
  if (select == null && include == null) {
    return { fields: undefined, relations: [] };
  }
  const asked = membersOf(select ?? include);
  if (asked === undefined || (select != null && include != null)) {
    return undefined;
  }
  const { model } = table;
  const fields: string[] = [];
  const relations: LoadedRelation[] = [];
  for (const [name, value] of Object.entries(asked)) {
    if (value === false) {
      continue;
    }
    const relation = model.relations.find(({ field }) => field === name);
    const loaded = relation && loadedRelation(relation, value, table);
    if (loaded !== undefined) {
      relations.push(loaded);
    } else if (
      select != null &&
      value === true &&
      model.columns.some(({ field }) => field === name)
    ) {
      fields.push(name);
    } else {
      return undefined;
    }
  }
  // Prisma's engine may reject an empty selection.
  const isEmpty = fields.length === 0 && relations.length === 0;
  return isEmpty ? undefined : { fields: select == null ? undefined : fields, relations };
}

/** Returns a write's projection; undefined if reading it may fall back to Prisma's engine, because a write is never retried. */
export function projectionOfWrite(
  args: Arguments,
  table: Table,
  names: ReadonlySet<string>,
): Projection | undefined {
  const projection = projectionOf(args, table, names);
  return projection !== undefined && mayBeLeft(projection) ? undefined : projection;
}

function loadedRelation(
  { kind, field, foreignKey, model }: Relation,
  value: unknown,
  { model: { id }, tables, encodeId }: Table,
): LoadedRelation | undefined {
  const table = tables.get(model);
  const args = value === true ? {} : membersOf(value);
  if (table === undefined || args === undefined || kind === 'other') {
    return undefined;
  }
  const projection = projectionOf(args, table, kind === 'one' ? SELECTION : TO_MANY);
  if (projection === undefined) {
    return undefined;
  }
  if (kind === 'one') {
    const given = isPlainObject(value) ? conditionsBeside(value) : {};
    const conditions = equalsOf(given, table.comparedColumns, []);
    const keyOf = (row: Row) => table.encodeId(row[foreignKey]);
    const load = (rows: readonly Row[]) => loadOnes(rows.map(keyOf), table, conditions, projection);
    return { field, isList: false, isPrefixed: false, projection, load };
  }
  const pages = pageOfKeyOf(args, table, foreignKey);
  if (pages === undefined) {
    return undefined;
  }
  const keyOf = (row: Row) => encodeId(row[id]) ?? '';
  const load = async (rows: readonly Row[]) => {
    const lists = await table.findPages(rows.map((row) => pages.pageOf(keyOf(row))));
    return projectLists(
      lists.map((list) => list.decoded()),
      projection,
    );
  };
  return { field, isList: true, isPrefixed: pages.isPrefixed, projection, load };
}

/** Whether a projection has relation lists at its top level, which can't be read after the rows are deleted. */
export function hasOwnLists({ relations }: Projection): boolean {
  return relations.some(({ isList }) => isList);
}

/** Whether a projection has lists, at any depth. */
export function hasLists({ relations }: Projection): boolean {
  return relations.some(({ isList, projection }) => isList || hasLists(projection));
}

/** Whether a projection has lists because of which a read may fall back to Prisma's engine. */
function mayBeLeft({ relations }: Projection): boolean {
  return relations.some(({ isPrefixed, projection }) => isPrefixed || mayBeLeft(projection));
}

/** Projects the rows of a page. The rows stay unchanged if exactly their columns are requested. */
export async function projectPage(
  [rows]: readonly ListedRows[],
  projection: Projection,
): Promise<ListedRows | readonly Row[]> {
  if (rows === undefined) {
    return [];
  }
  return isWhole(projection) ? rows : project(rows.decoded(), projection);
}

function isWhole({ fields, relations }: Projection): boolean {
  return fields === undefined && relations.length === 0;
}

/** Projects whole rows. It runs one statement for each relation, regardless of the number of rows. */
export async function project(
  rows: readonly Row[],
  projection: Projection,
): Promise<readonly Row[]> {
  if (isWhole(projection)) {
    return rows;
  }
  const { fields, relations } = projection;
  const related = await Promise.all(relations.map(({ load }) => load(rows)));
  return rows.map((row, index) => {
    const projected: Row =
      fields === undefined ? row : Object.fromEntries(fields.map((field) => [field, row[field]]));
    for (const [number, { field }] of relations.entries()) {
      projected[field] = related[number]?.[index];
    }
    return projected;
  });
}

export async function projectOne(row: Row, projection: Projection): Promise<Row> {
  const [projected = row] = await project([row], projection);
  return projected;
}

async function loadOnes(
  keys: readonly (string | undefined)[],
  table: Table,
  conditions: readonly Equal[] | undefined,
  projection: Projection,
): Promise<(Row | null)[]> {
  const ids = [...new Set(keys)].filter((key) => key !== undefined);
  const found = ids.length === 0 ? [] : await table.findByIds(ids, conditions);
  const rows = await project(
    found.filter((row) => row !== undefined),
    projection,
  );
  const present = ids.filter((_id, index) => found[index] !== undefined);
  const byId = new Map<string | undefined, Row | undefined>(
    present.map((id, index) => [id, rows[index]]),
  );
  return keys.map((key) => byId.get(key) ?? null);
}

async function projectLists(
  lists: readonly Row[][],
  projection: Projection,
): Promise<(readonly Row[])[]> {
  const rows = await project(lists.flat(), projection);
  let start = 0;
  return lists.map((list) => {
    start += list.length;
    return rows.slice(start - list.length, start);
  });
}
