import type { SchemaTypes } from '@pothos/core';
import { getModel } from '@pothos/plugin-prisma';
import {
  getNamedType,
  isAbstractType,
  isNonNullType,
  isObjectType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { type DataModels, type Models, type RowRules, ruleFaults } from '@store-gateway/data';
import type { Marker } from '@store-gateway/graphql';

type Rule = RowRules<object>[string];

declare global {
  export namespace PothosSchemaTypes {
    // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
    interface ObjectTypeOptions<Types extends SchemaTypes = SchemaTypes, Shape = unknown> {
      /**
       * For a type of a Prisma model: the rows that a caller may see. `where` returns `true` for all rows, or the values that
       * columns must equal: `{ ownerId: 7n }` or `{ ownerId: { in: [7n, 8n] } }`. Anything else hides all rows.
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

/** A schema's row rules by model, and its models. */
interface VisibleRowsOf {
  readonly rules: RowRules<object>;
  readonly models: DataModels;
}

/** Collects the row rules of types. All types of a model must have the same rule. */
export function rowRules(rules: Record<string, Rule>): Marker {
  const first = new Map<string, GraphQLObjectType>();
  return {
    type: (type) => {
      if (!isObjectType(type)) {
        return;
      }
      const { pothosPrismaModel: model, visible } = type.extensions;
      if (model === undefined) {
        if (visible !== undefined) {
          throw new Error(
            `${type.name} has no rows: the option visible is only for types of a Prisma model`,
          );
        }
        return;
      }
      const other = first.get(model);
      if (other !== undefined && other.extensions.visible !== visible) {
        throw new Error(
          `${other.name} and ${type.name} both belong to the model ${model}: set their option visible to the same constant`,
        );
      }
      first.set(model, type);
      if (visible !== undefined) {
        rules[model] = visible;
      }
    },
  };
}

/**
 * Marks the fields that depend on a row rule, so that callers don't share their results, and adds the rules to the schema's
 * extensions.
 *
 * @throws Error if a rule can't be enforced
 */
export function ruledFields<Types extends SchemaTypes>(
  schema: GraphQLSchema,
  rules: RowRules<object>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): Marker {
  const isRuled = (type: GraphQLNamedType): boolean =>
    isAbstractType(type)
      ? schema.getPossibleTypes(type).some(isRuled)
      : isObjectType(type) && Object.hasOwn(rules, type.extensions.pothosPrismaModel ?? '');
  const nonNull: string[] = [];
  return {
    field: (field, coordinate, type) => {
      const { listFilters, pothosPrismaRelationField: relation } = field.extensions;
      const isOfRows = isRuled(getNamedType(field.type)) || rules[listFilters?.model ?? ''];
      if (isOfRows && isObjectType(type)) {
        field.extensions = { ...field.extensions, shared: false };
        if (relation?.isList === false && isNonNullType(field.type)) {
          nonNull.push(
            `${coordinate} may refer to a row that is hidden from the caller: make it nullable`,
          );
        }
      }
    },
    end: () => {
      if (Object.keys(rules).length === 0) {
        return;
      }
      const models = modelsFrom(builder);
      const statements = builder.options.resources?.models ?? {};
      const faults = [
        ...ruleFaults(models, rules, (model, field) =>
          (statements[model]?.relations ?? []).some(
            (relation) => relation.field === field && relation.kind === 'one',
          ),
        ),
        ...finerColumns(rules, statements),
        ...nonNull,
      ];
      if (faults.length > 0) {
        throw new Error(faults.join('; '));
      }
      schema.extensions = { ...schema.extensions, visibleRows: { rules, models } };
    },
  };
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

/** Reports rules that compare columns with microseconds: a time that was read with milliseconds may not equal the stored time. */
function finerColumns(rules: RowRules<object>, models: Models): string[] {
  return Object.entries(rules).flatMap(([name, { columns }]) =>
    (models[name]?.columns ?? [])
      .filter(({ field, isFiner }) => isFiner === true && columns.includes(field))
      .map(
        ({ field }) =>
          `${name}.${field} can't decide which rows are visible, because it has microseconds: declare it as @db.Timestamptz(3)`,
      ),
  );
}
