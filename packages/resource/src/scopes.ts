import {
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  defaultFieldResolver,
} from 'graphql';
import {
  scopesOfField,
  scopesOfType,
  checkScopes,
  scopedMembersOf,
  expectScopes,
} from '@store-gateway/graphql';
import { type ListFilters, listedRelation } from './list-filters.ts';
import type { SchemaTypes } from '@pothos/core';
import { scopesInWords, type Scopes } from '@store-gateway/ops/errors';
import { takingRowsAs } from '@store-gateway/ops';
import type { AnyTypes } from './builder-prototype.ts';

type Field = GraphQLField<unknown, unknown>;

/** The columns that a model's relation refers to another row by. */
type ForeignKeyOf = (model: string, relation: string) => readonly string[];

/** Tells the scopes that a caller needs to learn a column of a model: of the fields that show it, those of the one with the fewest. */
type ScopesOfColumn = (model: string, column: string) => readonly string[];

function createScopesOfColumn(schema: GraphQLSchema, foreignKeyOf: ForeignKeyOf): ScopesOfColumn {
  const exposed = new Map<string, readonly string[]>();
  const hidden = new Map<string, readonly string[]>();
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const { pothosPrismaModel: model } = type.extensions;
    for (const field of model === undefined ? [] : Object.values(type.getFields())) {
      const scopes = [...new Set([...scopesOfType(type), ...scopesOfField(field)])];
      const column = field.extensions.pothosExposedField;
      const [known, columns] =
        typeof column === 'string'
          ? [exposed, [column]]
          : [hidden, scopes.length > 0 ? columnsIn(type, field, foreignKeyOf) : []];
      for (const key of columns.map((each) => `${model} ${each}`)) {
        known.set(key, fewer(known.get(key), scopes));
      }
    }
  }
  return (model, column) => {
    const key = `${model} ${column}`;
    return exposed.get(key) ?? hidden.get(key) ?? [];
  };
}

/** The columns that a field with scopes is made of; of a relation to one, its foreign key. */
function columnsIn(
  { extensions: { pothosPrismaModel: model = '' } }: GraphQLObjectType,
  { extensions }: Field,
  foreignKeyOf: ForeignKeyOf,
): readonly string[] {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: selected } = extensions;
  if (relation !== undefined) {
    return foreignKeyOf(model, relation.name);
  }
  return extensions['isVersion'] !== true && typeof selected === 'object'
    ? Object.keys(selected)
    : [];
}

function fewer(some: readonly string[] | undefined, others: readonly string[]): readonly string[] {
  return some === undefined || others.length < some.length ? others : some;
}

type WithFields = GraphQLObjectType | GraphQLInterfaceType;

/**
 * Adds the scopes that follow from those that are declared: what may not be read can't be filtered, searched or ordered by, or
 * guessed from a row's version, or overwritten, either; and what an interface declares holds for all types behind it.
 *
 * @throws if the ids of a list have scopes, which its cursors would tell
 */
function deriveScopes(schema: GraphQLSchema, foreignKeyOf: ForeignKeyOf): void {
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
    const filters = field.extensions.listFilters ?? listedRelation(field)?.filters;
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
      `${field.name} lists rows whose ids need the scope ${more}, and its cursors would reveal them: declare the scope on the type ${type.name}`,
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

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Needed by schemas that declare scopes. */
      access?: {
        readonly scopesOf: (context: Types['Context']) => Scopes;
      };
    }
    interface ObjectTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface InterfaceTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface UnionTypeOptions {
      /** What callers need for every field that returns this type. */
      scopes?: readonly string[];
    }
    interface FieldOptions {
      /** What callers need for this field, beside `read` for Query and `write` for Mutation. */
      scopes?: readonly string[];
    }
    interface InputFieldOptions {
      /** What callers need to give this, which can't be required or have a default then. */
      scopes?: readonly string[];
    }
  }
}

type AnyContext = AnyTypes['Context'];

/**
 * Completes the scopes of a schema, and has its fields ask for them, but for those of Query and Mutation: what these need is
 * asked before anything is executed.
 *
 * @throws if something would go round a scope
 */
export function enforceScopes(
  schema: GraphQLSchema,
  foreignKeyOf: ForeignKeyOf,
  scopesOf: ((context: AnyContext) => Scopes) | undefined,
): void {
  deriveScopes(schema, foreignKeyOf);
  checkScopes(schema);
  const [first, ...others] = scopedMembersOf(schema);
  if (first === undefined) {
    return;
  }
  if (scopesOf === undefined) {
    throw new Error(
      `${first.coordinate} needs a scope: give the builder the option access.scopesOf`,
    );
  }
  for (const { member } of [first, ...others]) {
    const { description, extensions } = member;
    member.description =
      `${description ?? ''}\n\nNeeds the ${scopesInWords(extensions.scopes ?? [])}.`.trim();
  }
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (!roots.has(type)) {
      Object.values(type.getFields()).forEach((field) => {
        enforce(field, scopesOf);
      });
    }
  }
}

/** Whoever lacks a scope learns nothing of the row: not even what is wrong with the arguments. */
function enforce(
  field: GraphQLField<unknown, AnyContext>,
  scopesOf: (context: AnyContext) => Scopes,
): void {
  const needed = scopesOfField(field);
  if (needed.length === 0) {
    return;
  }
  const { resolve = defaultFieldResolver } = field;
  field.resolve = takingRowsAs(resolve, function resolveWithinScopes(root, args, context, info) {
    expectScopes(scopesOf(context), needed);
    const value: unknown = resolve(root, args, context, info);
    return value;
  });
}
