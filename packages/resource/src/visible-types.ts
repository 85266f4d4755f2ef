import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import {
  getNamedType,
  isAbstractType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { type DataModels, type RowRules, ruleFaults } from '@store-gateway/data';

type Rule = RowRules<object>[string];

declare global {
  export namespace PothosSchemaTypes {
    // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
    interface ObjectTypeOptions<Types extends SchemaTypes = SchemaTypes, Shape = unknown> {
      /**
       * Of a type of a Prisma model: which of its rows a caller sees. `where` returns `true` for all, or what columns have to
       * equal: `{ ownerId: 7n }` or `{ ownerId: { in: [7n, 8n] } }`. Anything else is no row.
       */
      visible?: RowRules<Types['Context']>[string];
    }
  }
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    visible?: Rule | undefined;
  }
  interface GraphQLSchemaExtensions {
    visibleRows?: VisibleRowsOf | undefined;
  }
}

/** Which rows callers see, and the models that this is about. */
interface VisibleRowsOf {
  readonly rules: RowRules<object>;
  readonly models: DataModels;
}

/**
 * Gathers the rules of a schema's types in its extensions, and marks the fields that depend on one: no two callers share them.
 *
 * @throws if a rule can't be kept
 */
export function withVisibleRows<Types extends SchemaTypes>(
  schema: GraphQLSchema,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const rules = rulesOf(types);
  if (Object.keys(rules).length === 0) {
    return schema;
  }
  const models = modelsFrom(builder);
  const statements = builder.options.resources?.models ?? {};
  const faults = [
    ...ruleFaults(models, rules, (model, field) =>
      (statements[model]?.relations ?? []).some(
        (relation) => relation.field === field && relation.kind === 'one',
      ),
    ),
    ...finerColumns(rules, builder),
  ];
  const isRuled = (type: GraphQLNamedType): boolean =>
    isAbstractType(type)
      ? schema.getPossibleTypes(type).some(isRuled)
      : isObjectType(type) && Object.hasOwn(rules, type.extensions.pothosPrismaModel ?? '');
  for (const type of types) {
    for (const field of Object.values(type.getFields())) {
      if (isRuled(getNamedType(field.type)) || rules[field.extensions.listFilters?.model ?? '']) {
        field.extensions = { ...field.extensions, shared: false };
        faults.push(...nullabilityFaults(type, field));
      }
    }
  }
  if (faults.length > 0) {
    throw new Error(faults.join('; '));
  }
  schema.extensions = { ...schema.extensions, visibleRows: { rules, models } };
  return schema;
}

/** @throws if types of one model differ */
function rulesOf(types: readonly GraphQLObjectType[]): RowRules<object> {
  const rules: Record<string, Rule> = {};
  const first = new Map<string, GraphQLObjectType>();
  for (const type of types) {
    const { pothosPrismaModel: model, visible } = type.extensions;
    if (model === undefined) {
      if (visible !== undefined) {
        throw new Error(`${type.name} has no rows: visible is for types of a Prisma model`);
      }
      continue;
    }
    const other = first.get(model);
    if (other !== undefined && other.extensions.visible !== visible) {
      throw new Error(
        `${other.name} and ${type.name} both belong to the model ${model}: give both the same visible, as one constant`,
      );
    }
    first.set(model, type);
    if (visible !== undefined) {
      rules[model] = visible;
    }
  }
  return rules;
}

function modelsFrom<Types extends SchemaTypes>(
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): DataModels {
  const { prisma } = builder.options;
  const { models = {} }: { models?: object } =
    'dmmf' in prisma && prisma.dmmf?.datamodel instanceof Object ? prisma.dmmf.datamodel : {};
  return Object.fromEntries(
    Object.keys(models).map((name): [string, DataModels[string]] => [
      name,
      getModel(name, builder),
    ]),
  );
}

/** What is read of a time to the millisecond may not be what the database compares. */
function finerColumns<Types extends SchemaTypes>(
  rules: RowRules<object>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): string[] {
  const models = builder.options.resources?.models ?? {};
  return Object.entries(rules).flatMap(([name, { columns }]) =>
    (models[name]?.columns ?? [])
      .filter(({ field, isFiner }) => isFiner === true && columns.includes(field))
      .map(
        ({ field }) =>
          `${name}.${field} can't decide which rows are visible, because it has microseconds: give it @db.Timestamptz(3)`,
      ),
  );
}

function nullabilityFaults(
  type: GraphQLObjectType,
  { name, type: result, extensions }: GraphQLField<unknown, unknown>,
): string[] {
  const isToOne = extensions.pothosPrismaRelationField?.isList === false;
  return isToOne && isNonNullType(result)
    ? [`${type.name}.${name} may refer to a row that is hidden from the caller: make it nullable`]
    : [];
}
