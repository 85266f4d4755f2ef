import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { scopesOfField, scopesOfType } from '@store-gateway/graphql';
import { createScopesOfColumn, type ForeignKeyOf, type ScopesOfColumn } from './column-scopes.ts';
import { filtersOfQueries, type ListFilters } from './list-filters.ts';
import { listedRelation } from './listed-relation.ts';

type Field = GraphQLField<unknown, unknown>;
type WithFields = GraphQLObjectType | GraphQLInterfaceType;

/**
 * Adds the scopes that follow from those that are declared: what may not be read can't be filtered, searched or ordered by, or
 * guessed from a row's version, or overwritten, either; and what an interface declares holds for all types behind it.
 *
 * @throws if the ids of a list have scopes, which its cursors would tell
 */
export function deriveScopes(schema: GraphQLSchema, foreignKeyOf: ForeignKeyOf): void {
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) || isInterfaceType(type),
  );
  forImplementations(types, (field, declared) => {
    addScopes(field, declared.extensions.scopes);
  });
  const scopesOfColumn = createScopesOfColumn(schema, foreignKeyOf);
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  for (const field of fields) {
    addToVersion(field, types, scopesOfColumn);
    const filters = filtersOf(field);
    if (filters !== undefined) {
      expectOpenIds(field, filters, scopesOfColumn);
      addToArguments(field, filters, scopesOfColumn);
    }
  }
  for (const { args, type } of fields) {
    const named = getNamedType(type);
    const version = isObjectType(named) ? versionOf(named) : undefined;
    for (const argument of args.filter(({ extensions }) => extensions['isPrecondition'] === true)) {
      addScopes(argument, version?.extensions.scopes);
    }
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    for (const input of field.args
      .map(({ type }) => getNamedType(type))
      .filter(isInputObjectType)) {
      addToChange(field, input, scopesOfColumn);
    }
  }
  // An operation may give an argument by either.
  forImplementations(types, (field, declared) => {
    for (const argument of field.args) {
      const same = declared.args.find(({ name }) => name === argument.name);
      addScopes(argument, same?.extensions.scopes);
      addScopes(same, argument.extensions.scopes);
    }
  });
}

function forImplementations(
  types: readonly WithFields[],
  visit: (field: Field, declared: Field) => void,
): void {
  for (const type of types) {
    for (const declared of type
      .getInterfaces()
      .flatMap((each) => Object.values(each.getFields()))) {
      const field = type.getFields()[declared.name];
      if (field !== undefined) {
        visit(field, declared);
      }
    }
  }
}

/** What a list, or a relation that lists rows, can be filtered by. */
function filtersOf(field: Field): ListFilters | undefined {
  const query = listedRelation(field)?.query;
  return (
    field.extensions.listFilters ??
    (query instanceof Object ? filtersOfQueries.get(query) : undefined)
  );
}

function addToArguments(
  { args }: Field,
  { model, columnsOf }: ListFilters,
  scopesOfColumn: ScopesOfColumn,
): void {
  for (const argument of args) {
    const columns = columnsOf.get(argument.name) ?? [];
    addScopes(
      argument,
      columns.flatMap((column) => scopesOfColumn(model, column)),
    );
    const type = getNamedType(argument.type);
    for (const value of isEnumType(type) ? type.getValues() : []) {
      const { column } = value.extensions;
      addScopes(value, column === undefined ? [] : scopesOfColumn(model, column));
    }
  }
}

/**
 * Who may not read a column may not overwrite it, unless its input declares who may. A replacement overwrites columns that it
 * doesn't give, too, so that all of it needs their scopes.
 */
function addToChange(
  field: Field,
  input: GraphQLInputObjectType,
  scopesOfColumn: ScopesOfColumn,
): void {
  const { changedModel, isWhole } = input.extensions;
  if (typeof changedModel !== 'string') {
    return;
  }
  for (const column of Object.values(input.getFields())) {
    if (column.extensions.scopes === undefined) {
      const scopes = scopesOfColumn(changedModel, column.name);
      const needed = scopesOfField(field);
      addScopes(
        isWhole === true ? field : column,
        scopes.filter((scope) => !needed.includes(scope)),
      );
    }
  }
}

/** A version is a hash of all columns. */
function addToVersion(
  field: Field,
  types: readonly WithFields[],
  scopesOfColumn: ScopesOfColumn,
): void {
  const { pothosPrismaSelect: selected } = field.extensions;
  const owner = types.find((type) => type.getFields()[field.name] === field);
  const model = isObjectType(owner) ? owner.extensions.pothosPrismaModel : undefined;
  if (isVersion(field) && model !== undefined && typeof selected === 'object') {
    addScopes(
      field,
      Object.keys(selected).flatMap((column) => scopesOfColumn(model, column)),
    );
  }
}

function versionOf(type: GraphQLObjectType): Field | undefined {
  return Object.values(type.getFields()).find(isVersion);
}

function isVersion({ extensions }: Field): boolean {
  return extensions['isVersion'] === true;
}

function expectOpenIds(field: Field, { model }: ListFilters, scopesOfColumn: ScopesOfColumn): void {
  const type = getNamedType(field.type);
  const ofType = scopesOfType(type);
  const more = scopesOfColumn(model, 'id').find((scope) => !ofType.includes(scope));
  if (more !== undefined) {
    throw new Error(
      `${field.name} lists rows whose ids need the scope ${more}, which its cursors would tell: declare it for the type ${type.name}`,
    );
  }
}

interface Scoped {
  extensions: { readonly scopes?: readonly string[] | undefined };
}

function addScopes(member: Scoped | undefined, more: readonly string[] = []): void {
  if (member !== undefined && more.length > 0) {
    const scopes = [...new Set([...(member.extensions.scopes ?? []), ...more])];
    member.extensions = { ...member.extensions, scopes };
  }
}
