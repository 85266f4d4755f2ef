import type { SchemaTypes } from '@pothos/core';
import {
  defaultFieldResolver,
  getNamedType,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { RowRules } from '@store-gateway/data';
import {
  deprecationChecks,
  expectScopes,
  type FieldsType,
  type Marker,
  ofMembers,
  removalError,
  scopeChecks,
  scopesOfField,
  scopesOfType,
  walkSchema,
} from '@store-gateway/graphql';
import { withRowSinkOf } from '@store-gateway/ops';
import { type Scopes, formatScopes } from '@store-gateway/ops/errors';
import { foreignKeyOf } from './columns.ts';
import { deprecatedMembers, deprecatedTypes } from './lifecycle.ts';
import { exactScalars } from './scalars.ts';
import { rowRules, ruledFields } from './visible-types.ts';
import type { AnyTypes } from './builder.ts';
import { listedRelation, type ListFilters } from './list-filters.ts';

/**
 * Adds to a built schema everything that follows from its declarations. Each marker depends on the results of the earlier ones.
 * The gateway's `expectBoundedLists` adds the sizes of lists later, because it needs all models.
 */
export function markSchema<Types extends SchemaTypes>(
  schema: GraphQLSchema,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): void {
  const { access, lifecycle = Date } = builder.options;
  const columns = createColumnScopes((model, relation) => foreignKeyOf(model, relation, builder));
  const rules: Record<string, RowRules<object>[string]> = {};
  walkSchema(schema, [
    exactScalars(schema),
    deprecatedTypes,
    deprecatedMembers(schema),
    deprecationChecks,
    inheritedScopes,
    columns.marker,
    revealedColumns(columns.scopesOf),
    expectedVersions,
    changedColumns(schema, columns.scopesOf),
    sharedArguments,
    scopeChecks,
    describedScopes(access?.scopesOf),
    rowRules(rules),
    ruledFields(schema, rules, builder),
    checkedFields(schema, { scopesOf: access?.scopesOf, now: lifecycle.now }),
  ]);
}

type AnyContext = AnyTypes['Context'];

interface Checks {
  readonly scopesOf: ((context: AnyContext) => Scopes) | undefined;
  /** Milliseconds since 1970. */
  readonly now: (context: AnyContext) => number;
}

/**
 * Makes fields of Query and Mutation reject calls from the day of their removal on, so that an operation's other fields are still
 * executed, and makes all other fields check their scopes. Everything else is checked before an operation is executed. Both
 * checks run before the field's arguments are validated, so that a rejected call reveals nothing, not even errors in its
 * arguments.
 */
function checkedFields(schema: GraphQLSchema, { scopesOf, now }: Checks): Marker {
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]);
  return {
    field: (field: GraphQLField<unknown, AnyContext>, _coordinate, type) => {
      const isRoot = roots.has(type);
      const deprecation = isRoot ? field.extensions.deprecation : undefined;
      const needed = isRoot ? [] : scopesOfField(field);
      if (!isObjectType(type) || (deprecation === undefined && needed.length === 0)) {
        return;
      }
      const { resolve = defaultFieldResolver } = field;
      field.resolve = withRowSinkOf(resolve, function resolveChecked(root, args, context, info) {
        if (needed.length > 0 && scopesOf !== undefined) {
          expectScopes(scopesOf(context), needed);
        }
        const removal = deprecation && removalError(deprecation, now(context));
        if (removal !== undefined) {
          throw removal;
        }
        const value: unknown = resolve(root, args, context, info);
        return value;
      });
    },
  };
}

type Field = GraphQLField<unknown, unknown>;

/** Returns the columns of a relation's foreign key. */
type ForeignKeyOf = (model: string, relation: string) => readonly string[];

/**
 * Returns the scopes that a caller needs to read a column. If several fields expose the column, those of the field that needs the
 * fewest.
 */
type ScopesOfColumn = (model: string, column: string) => readonly string[];

interface ColumnScopes {
  readonly marker: Marker;
  /** Complete only after the marker has walked the schema. */
  readonly scopesOf: ScopesOfColumn;
}

function createColumnScopes(keyOf: ForeignKeyOf): ColumnScopes {
  const exposed = new Map<string, readonly string[]>();
  const hidden = new Map<string, readonly string[]>();
  return {
    marker: {
      field: (field, _coordinate, type) => {
        const model = modelOf(type);
        if (model === undefined || !isObjectType(type)) {
          return;
        }
        const scopes = [...new Set([...scopesOfType(type), ...scopesOfField(field)])];
        const column = field.extensions.pothosExposedField;
        const [known, columns] =
          typeof column === 'string'
            ? [exposed, [column]]
            : [hidden, scopes.length > 0 ? columnsIn(type, field, keyOf) : []];
        for (const key of columns.map((each) => `${model} ${each}`)) {
          known.set(key, fewer(known.get(key), scopes));
        }
      },
    },
    scopesOf: (model, column) => {
      const key = `${model} ${column}`;
      return exposed.get(key) ?? hidden.get(key) ?? [];
    },
  };
}

/** Returns the columns that a field with scopes is computed from; for a relation, its foreign key. */
function columnsIn(
  { extensions: { pothosPrismaModel: model = '' } }: GraphQLObjectType,
  { extensions }: Field,
  keyOf: ForeignKeyOf,
): readonly string[] {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: selected } = extensions;
  if (relation !== undefined) {
    return keyOf(model, relation.name);
  }
  return extensions.isVersion !== true && typeof selected === 'object' ? Object.keys(selected) : [];
}

function modelOf(type: FieldsType): string | undefined {
  return isObjectType(type) ? type.extensions.pothosPrismaModel : undefined;
}

function fewer(some: readonly string[] | undefined, others: readonly string[]): readonly string[] {
  return some === undefined || others.length < some.length ? others : some;
}

/** Copies the scopes that an interface declares on a field to the same field of all implementing types. */
const inheritedScopes: Marker = {
  field: (field, _coordinate, type) => {
    for (const declared of declaredBy(type, field)) {
      addScopes(field, declared.extensions.scopes);
    }
  },
};

/** Returns the declarations of a field in the interfaces of its type. */
function declaredBy(type: FieldsType, { name }: Field): readonly Field[] {
  return type.getInterfaces().flatMap((each) => each.getFields()[name] ?? []);
}

/**
 * Adds the scopes of columns to everything that would reveal the columns: filters, searches and orders of lists, and row
 * versions, which are hashes of all columns.
 *
 * @throws Error if a list's ids need a scope that their type doesn't need, because the list's cursors would reveal the ids
 */
function revealedColumns(scopesOfColumn: ScopesOfColumn): Marker {
  return {
    field: (field, _coordinate, type) => {
      const { isVersion, pothosPrismaSelect: selected, listFilters } = field.extensions;
      const model = modelOf(type);
      if (isVersion === true && model !== undefined && typeof selected === 'object') {
        addScopes(
          field,
          Object.keys(selected).flatMap((column) => scopesOfColumn(model, column)),
        );
      }
      const filters = listFilters ?? listedRelation(field)?.filters;
      if (filters !== undefined) {
        expectOpenIds(field, filters, scopesOfColumn);
        addToArguments(field, filters, scopesOfColumn);
      }
    },
  };
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

function expectOpenIds(field: Field, { model }: ListFilters, scopesOfColumn: ScopesOfColumn): void {
  const type = getNamedType(field.type);
  const ofType = scopesOfType(type);
  const more = scopesOfColumn(model, 'id').find((scope) => !ofType.includes(scope));
  if (more !== undefined) {
    throw new Error(
      `${field.name} lists rows whose ids need the scope ${more}, and its cursors would reveal the ids: declare the scope on the type ${type.name}`,
    );
  }
}

/** Adds the scopes of a type's version field to the argument for the expected versions. */
const expectedVersions: Marker = {
  argument: (argument, _coordinate, field) => {
    const type = getNamedType(field.type);
    if (argument.extensions.isPrecondition === true && isObjectType(type)) {
      const version = Object.values(type.getFields()).find(
        ({ extensions }) => extensions.isVersion === true,
      );
      addScopes(argument, version?.extensions.scopes);
    }
  },
};

/** Adds each column's scopes to the input that overwrites the column. */
function changedColumns(schema: GraphQLSchema, scopesOfColumn: ScopesOfColumn): Marker {
  return {
    argument: (argument, _coordinate, field, type) => {
      const input = getNamedType(argument.type);
      if (type === schema.getMutationType() && isInputObjectType(input)) {
        addToChange(field, input, scopesOfColumn);
      }
    },
  };
}

/**
 * Adds the scopes for overwriting a column: those for reading it, unless its input field declares scopes of its own. A
 * replacement also overwrites omitted columns, so the whole mutation needs their scopes.
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

/** Copies scopes between arguments of interfaces and those of implementing types, because an operation may use either. */
const sharedArguments: Marker = {
  argument: (argument, _coordinate, field, type) => {
    for (const { args } of declaredBy(type, field)) {
      const same = args.find(({ name }) => name === argument.name);
      addScopes(argument, same?.extensions.scopes);
      addScopes(same, argument.extensions.scopes);
    }
  },
};

interface Scoped {
  extensions: { readonly scopes?: readonly string[] | undefined };
}

function addScopes(member: Scoped | undefined, more: readonly string[] = []): void {
  if (member !== undefined && more.length > 0) {
    const scopes = [...new Set([...(member.extensions.scopes ?? []), ...more])];
    member.extensions = { ...member.extensions, scopes };
  }
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Required by schemas that declare scopes. */
      access?: {
        readonly scopesOf: (context: Types['Context']) => Scopes;
      };
    }
    interface ObjectTypeOptions {
      /** The scopes that callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface InterfaceTypeOptions {
      /** The scopes that callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface UnionTypeOptions {
      /** The scopes that callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface FieldOptions {
      /** The scopes that callers need for this field, in addition to `read` for Query and `write` for Mutation. */
      scopes?: readonly string[];
    }
    interface InputFieldOptions {
      /** The scopes that callers need to pass this input, which must then be optional and have no default. */
      scopes?: readonly string[];
    }
  }
}

type ScopesOf = (context: AnyContext) => Scopes;

/**
 * Adds the scopes that an element needs to its description.
 *
 * @throws Error if an element needs scopes, but the builder has no `access.scopesOf`
 */
function describedScopes(scopesOf: ScopesOf | undefined): Marker {
  return ofMembers(({ coordinate, member }) => {
    const { description, extensions } = member;
    if (extensions.scopes === undefined || extensions.scopes.length === 0) {
      return;
    }
    if (scopesOf === undefined) {
      throw new Error(`${coordinate} needs a scope: set the builder's option access.scopesOf`);
    }
    member.description =
      `${description ?? ''}\n\nNeeds the ${formatScopes(extensions.scopes)}.`.trim();
  });
}
