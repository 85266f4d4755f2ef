import { isJsonObject, StartupFailure } from '@store-gateway/ops';
import { MAX_SIZE } from './page.ts';
import { hash } from 'node:crypto';
import { leadingFields, type Models, type RowRules } from '@store-gateway/data';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import {
  reversed,
  type ListFilters,
  type OrderedBy,
  countsRelations,
  listedRelation,
} from './list-filters.ts';
import { walkSchema } from '@store-gateway/graphql';

/** A relation's page with a constant size and constant filters. */
interface ConstantPage {
  readonly take: number;
  /** The columns that it is filtered by. */
  readonly filters: readonly string[];
}

/** The page that Prisma's arguments describe, if it is ordered by id and `where` compares columns with single values. */
function constantPageOf(query: unknown, { id, columns }: IndexedModel): ConstantPage | undefined {
  const { orderBy, take, where = {}, ...others } = isJsonObject(query) ? query : {};
  const isPage =
    Object.keys(others).length === 0 &&
    isJsonObject(orderBy) &&
    Object.keys(orderBy).join() === id &&
    typeof take === 'number' &&
    Number.isInteger(take) &&
    take > 0 &&
    take <= MAX_SIZE &&
    isJsonObject(where) &&
    Object.entries(where).every(
      ([name, value]) =>
        name !== id && columns.some(({ field }) => field === name) && Object(value) !== value,
    );
  return isPage ? { take, filters: Object.keys(where) } : undefined;
}

/** A model, as batched-prisma's generator writes it. */
type IndexedModel = Pick<Models[string], 'name' | 'id' | 'columns' | 'indexes' | 'relations'>;

/** Columns that a list is always filtered by, and those that a client may filter it by. */
interface Filters {
  readonly always: readonly string[];
  readonly optional: readonly string[];
}

/** Maximum number of missing indexes to name. A list that lacks more has too many optional filters to index. */
const MAX_NAMED = 4;

/**
 * Returns the indexes that a list lacks, in the syntax of Prisma's schema. Each combination of filters needs an index that
 * begins with their columns, in any order, followed by the columns of an order, which ends with the id. Pages are read from it
 * forwards or backwards.
 */
export function missingIndexes(
  model: IndexedModel,
  { always, optional }: Filters,
  orders: readonly (readonly OrderedBy[])[],
): string[] {
  const missing = new Set<string>();
  for (const chosen of subsets(optional)) {
    const fields = always.concat(chosen);
    if (fields.includes(model.id)) {
      // The primary key finds these few rows.
      continue;
    }
    // An unfiltered list ordered by id is read from the primary key.
    const byId = fields.length === 0 ? [] : [[ascending(model.id)]];
    for (const order of [...byId, ...orders]) {
      const others = order.filter(({ field }) => !fields.includes(field));
      if (leadingFields(model, new Set(fields), others) === undefined) {
        missing.add(written(model, [...fields.map(ascending), ...turned(others)]));
      }
    }
    if (missing.size >= MAX_NAMED) {
      break;
    }
  }
  return [...missing].slice(0, MAX_NAMED);
}

/** The indexes that a search lacks. */
function missingSearchIndexes(model: IndexedModel, columns: readonly string[]): string[] {
  return columns
    .filter(
      (column) =>
        !model.indexes.some(
          ({ type, fields: [first, ...others] }) =>
            type === 'Gin' &&
            first?.field === column &&
            first.ops === TRIGRAMS &&
            others.length === 0,
        ),
    )
    .map((column) => `@@index([${column}(ops: raw("${TRIGRAMS}"))], type: Gin)`);
}

/** The operator class with which an index finds parts of texts (pg_trgm). */
const TRIGRAMS = 'gin_trgm_ops';

function ascending(field: string): OrderedBy {
  return { field, order: 'asc' };
}

/** The order or its reverse, whichever has more columns ascending: an index is read both ways. */
function turned(order: readonly OrderedBy[]): readonly OrderedBy[] {
  const descending = order.filter((each) => each.order === 'desc');
  return descending.length * 2 <= order.length ? order : order.map(reversed);
}

function written(model: IndexedModel, columns: readonly OrderedBy[]): string {
  const names = columns.map(({ field, order }) =>
    order === 'asc' ? field : `${field}(sort: Desc)`,
  );
  return `@@index([${names.join(', ')}]${mapOf(model, names)})`;
}

/** The length up to which Prisma doesn't truncate an index's name, with room for columns named unlike their fields. */
const MAX_NAME_LENGTH = 50;

/** Returns an explicit name for an index whose default name would be truncated, because truncated names may collide. */
function mapOf({ name: model }: IndexedModel, columns: readonly string[]): string {
  const name = [model, ...columns].join('_');
  return name.length <= MAX_NAME_LENGTH
    ? ''
    : `, map: "${model.slice(0, 40)}_${hash('sha256', name, 'hex').slice(0, 8)}_idx"`;
}

/** All subsets, counted in binary, so that subsets of the first elements come first. */
function* subsets(names: readonly string[]): Generator<readonly string[]> {
  for (let chosen = 0; chosen < 2 ** names.length; chosen += 1) {
    yield names.filter((_name, place) => Math.floor(chosen / 2 ** place) % 2 === 1);
  }
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Checks that every list of a schema, including lists of relations, can be read from an index whatever filters it is given.
 * Otherwise one request could read a whole table.
 *
 * @throws StartupFailure that names all indexes to add, and says how to limit relations
 */
export function expectBoundedLists(schema: GraphQLSchema, models: Models): void {
  const { rules = {} } = schema.extensions.visibleRows ?? {};
  const faults: Fault[] = [];
  walkSchema(schema, [
    {
      field: (field, name, type) => {
        if (isObjectType(type)) {
          faults.push(...unboundedList(name, field, models, rules));
          faults.push(...unboundedRelation(name, type, field, models, rules));
        }
      },
    },
  ]);
  // A list, its connection and a relation often lack the same indexes.
  const told = new Set<string>();
  const sentences = faults.flatMap((fault) => {
    if (typeof fault === 'string') return [fault];
    const { name, model, missing } = fault;
    const suppressed = missing.filter((index) => !told.has(`${model} ${index}`));
    suppressed.forEach((index) => told.add(`${model} ${index}`));
    return suppressed.length === 0
      ? []
      : [
          `${name} would read more rows than it returns: add ${suppressed.join(' and ')} to the model ${model}`,
        ];
  });
  if (sentences.length > 0) {
    throw new StartupFailure(sentences.join('; '));
  }
}

/** A list that lacks indexes, or a sentence about another fault. */
type Fault =
  | string
  | { readonly name: string; readonly model: string; readonly missing: readonly string[] };

/** The columns of a model's row rule. Depending on the caller, its lists are filtered by them or not. */
function ruleColumns(model: string, rules: RowRules<object>): readonly string[] {
  return rules[model]?.columns ?? [];
}

function* unboundedList(
  name: string,
  field: Field,
  models: Models,
  rules: RowRules<object>,
): Iterable<Fault> {
  const { listFilters } = field.extensions;
  const model = models[listFilters?.model ?? ''];
  if (listFilters !== undefined && model !== undefined) {
    // Filters that aren't columns are handled by the list's `find`.
    const columns = listFilters.filters.filter((filter) => hasColumn(model, filter));
    yield* unboundedSets(name, columns, field);
    const filters = filtersFrom([...columns, ...ruleColumns(model.name, rules)], field);
    const missing = [
      ...missingIndexes(model, filters, ordersOf(field, listFilters)),
      ...missingSearchIndexes(model, listFilters.search),
    ];
    yield { name, model: model.name, missing };
  }
}

function* unboundedRelation(
  name: string,
  type: GraphQLObjectType,
  field: Field,
  models: Models,
  rules: RowRules<object>,
): Iterable<Fault> {
  if (countsRelations(field)) {
    yield `${name} counts all rows of a relation, which may read a whole table: keep the count in a column`;
    return;
  }
  const listed = listedRelation(field);
  if (listed === undefined) {
    return;
  }
  const { relation, target, query, filters } = listed;
  const own = models[type.extensions.pothosPrismaModel ?? ''];
  const { kind, foreignKey } = own?.relations.find((each) => each.field === relation) ?? {};
  const model = models[target];
  if (model === undefined || kind !== 'many' || foreignKey === undefined) {
    yield `${name} lists a relation that can't be read by a single statement: list ${target} in a field of Query with a filter instead`;
    return;
  }
  const page = constantPageOf(query, model);
  if (filters !== undefined) {
    const given = filters.filters.filter((filter) => field.args.some((arg) => arg.name === filter));
    const unknown = given.find((filter) => !hasColumn(model, filter));
    if (unknown !== undefined) {
      yield `${name} can't be filtered by ${unknown}, which is not a column of ${target}`;
      return;
    }
    yield* unboundedSets(name, given, field);
    const asked = filtersFrom([...given, ...ruleColumns(target, rules)], field, foreignKey);
    yield { name, model: target, missing: missingIndexes(model, asked, ordersOf(field, filters)) };
  } else if (page !== undefined) {
    const always = [...new Set([foreignKey, ...page.filters])];
    const optional = ruleColumns(target, rules).filter((column) => !always.includes(column));
    yield { name, model: target, missing: missingIndexes(model, { always, optional }, []) };
    field.extensions = { ...field.extensions, listSize: page.take };
  } else if (field.args.every(({ extensions }) => extensions.defaultListSize === undefined)) {
    yield `${name} lists all rows of a relation: limit it like a list of ${target}, as in t.relation('${relation}', { args: list.args, query: list.query })`;
  }
}

function filtersFrom(names: readonly string[], { args }: Field, ...always: string[]): Filters {
  const isRequired = (name: string): boolean =>
    args.some((arg) => arg.name === name && isNonNullType(arg.type));
  return {
    always: [...new Set([...always, ...names.filter(isRequired)])],
    optional: [...new Set(names)].filter((name) => !isRequired(name) && !always.includes(name)),
  };
}

/** The orders that a field's arguments can select. */
function ordersOf({ args }: Field, { orders, orderedBy }: ListFilters): ListFilters['orders'] {
  return args.some(({ name }) => orderedBy.includes(name)) ? orders : [];
}

/** Maximum number of combinations of filter values. Each combination is read from another place in the index. */
const MAX_COMBINATIONS = 1000;

function* unboundedSets(
  name: string,
  filters: readonly string[],
  { args }: Field,
): Iterable<string> {
  const sets = args.filter(
    (argument) => filters.includes(argument.name) && isListType(getNullableType(argument.type)),
  );
  const combinations = sets.reduce((product, { type, extensions: { maxItems = Infinity } }) => {
    const item = getNamedType(type);
    const values = isEnumType(item) ? item.getValues().length : Infinity;
    return product * Math.min(maxItems, values);
  }, 1);
  if (combinations > MAX_COMBINATIONS) {
    const named = sets.map((set) => set.name).join(' and ');
    yield `${name} would read more rows than it returns: set maxItems on ${named}, so that at most ${MAX_COMBINATIONS} combinations are possible`;
  }
}

function hasColumn({ columns }: IndexedModel, name: string): boolean {
  return columns.some(({ field }) => field === name);
}
