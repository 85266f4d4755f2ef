import { hasOnly, membersOf, type Arguments } from './arguments.ts';
import type { Page } from './find-pages.ts';
import type { Relation } from './model.ts';
import { pageOfKeyOf } from './page-arguments.ts';
import type { Table } from './table.ts';

/** What to give of each row of a table: `fields`, or the whole row, and rows of other models. */
export interface Projection {
  readonly table: Table;
  readonly fields: readonly string[] | undefined;
  readonly relations: readonly LoadedRelation[];
}

export interface LoadedRelation {
  readonly relation: Relation;
  readonly projection: Projection;
  /** Of a relation to many: which of the rows that have a key. */
  readonly pageOfKey: ((key: string) => Page) | undefined;
}

const TO_ONE = new Set(['select', 'include']);
const TO_MANY = new Set(['select', 'include', 'where', 'orderBy', 'take']);

/**
 * What `select` and `include` ask for; undefined if statements can't give that.
 *
 * @param names that arguments may have, these and others
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
    return { table, fields: undefined, relations: [] };
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
  // Prisma has something to say of an empty one.
  const isEmpty = fields.length === 0 && relations.length === 0;
  return isEmpty ? undefined : { table, fields: select == null ? undefined : fields, relations };
}

function loadedRelation(
  relation: Relation,
  value: unknown,
  { tables }: Table,
): LoadedRelation | undefined {
  const table = tables.get(relation.model);
  const args = value === true ? {} : membersOf(value);
  if (table === undefined || args === undefined || relation.kind === 'other') {
    return undefined;
  }
  const isMany = relation.kind === 'many';
  const projection = projectionOf(args, table, isMany ? TO_MANY : TO_ONE);
  const pageOfKey = isMany ? pageOfKeyOf(args, table, relation.foreignKey) : undefined;
  return projection === undefined || (isMany && pageOfKey === undefined)
    ? undefined
    : { relation, projection, pageOfKey };
}
