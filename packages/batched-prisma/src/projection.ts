import { hasOnly, membersOf, type Arguments } from './arguments.ts';
import type { Page } from './find-pages.ts';
import type { Model, Relation } from './model.ts';
import { pageOfKeyOf } from './page-arguments.ts';
import type { Table } from './table.ts';

/** What to give of each row: `fields`, or the whole row, and rows of other models. */
export interface Projection {
  readonly fields: readonly string[] | undefined;
  readonly relations: readonly LoadedRelation[];
}

export interface LoadedRelation {
  readonly relation: Relation;
  readonly table: Table;
  readonly projection: Projection;
  /** Of a relation to many: which of the rows that have a key. */
  readonly pageOfKey: ((key: string) => Page) | undefined;
}

type Tables = ReadonlyMap<string, Table>;

const WHOLE: Projection = { fields: undefined, relations: [] };
const TO_ONE = new Set(['select', 'include']);
const TO_MANY = new Set(['select', 'include', 'where', 'orderBy', 'take']);

/** What `select` and `include` ask for; undefined if statements can't give that. */
export function projectionOf(
  { select: selected, include: included }: Arguments,
  model: Model,
  tables: Tables,
): Projection | undefined {
  const select = selected ?? undefined;
  const include = included ?? undefined;
  if (select === undefined && include === undefined) {
    return WHOLE;
  }
  const asked = membersOf(select ?? include);
  if (asked === undefined || (select !== undefined && include !== undefined)) {
    return undefined;
  }
  const fields: string[] = [];
  const relations: LoadedRelation[] = [];
  for (const [name, value] of Object.entries(asked)) {
    if (value === false) {
      continue;
    }
    const relation = model.relations.find(({ field }) => field === name);
    if (relation !== undefined) {
      const loaded = loadedRelation(relation, value, tables);
      if (loaded === undefined) {
        return undefined;
      }
      relations.push(loaded);
    } else if (
      select !== undefined &&
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
  return isEmpty ? undefined : { fields: select === undefined ? undefined : fields, relations };
}

function loadedRelation(
  relation: Relation,
  value: unknown,
  tables: Tables,
): LoadedRelation | undefined {
  const table = tables.get(relation.model);
  const args = value === true ? {} : membersOf(value);
  if (table === undefined || args === undefined || relation.kind === 'other') {
    return undefined;
  }
  const isMany = relation.kind === 'many';
  const projection = hasOnly(args, isMany ? TO_MANY : TO_ONE)
    ? projectionOf(args, table.model, tables)
    : undefined;
  const pageOfKey = isMany ? pageOfKeyOf(args, table, relation.foreignKey) : undefined;
  return projection === undefined || (isMany && pageOfKey === undefined)
    ? undefined
    : { relation, table, projection, pageOfKey };
}
