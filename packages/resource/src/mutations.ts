import type { PothosOutputFieldConfig, SchemaTypes } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { getModel } from '@pothos/plugin-prisma';
import { type MutationResult, violationError, type Violation } from '@store-gateway/graphql';
import type { Resolver } from './builder.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      mutations?: {
        /**
         * Called before a field of Mutation is resolved.
         *
         * @returns a function to call with the ids of the returned rows, or with the thrown error
         */
        readonly onResolve: (
          context: Types['Context'],
          info: Pick<GraphQLResolveInfo, 'fieldName' | 'path'>,
        ) => (result: MutationResult) => void;
      };
    }
  }
}

/** Makes a field of Mutation nullable by default, because its error would otherwise discard the results of the other fields. */
export function failingAlone<Types extends SchemaTypes>(
  config: PothosOutputFieldConfig<Types>,
): PothosOutputFieldConfig<Types> {
  return config.kind === 'Mutation' && config.pothosOptions.nullable === undefined
    ? { ...config, type: { ...config.type, nullable: true } }
    : config;
}

/** Reports the outcome of each field of Mutation. */
export function reportedMutation<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  config: PothosOutputFieldConfig<Types>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): Resolver<Types> {
  const { mutations } = builder.options;
  if (config.kind !== 'Mutation' || mutations === undefined) {
    return resolver;
  }
  const idField = idFieldOf(config, builder);
  return async function resolveReported(root, args, context, info) {
    const report = mutations.onResolve(context, info);
    try {
      const result: unknown = await resolver(root, args, context, info);
      report({ ids: [result].flat().flatMap((row) => idOf(row, idField)) });
      return result;
    } catch (error) {
      report({ error });
      throw error;
    }
  };
}

function idOf(row: unknown, field: string): string[] {
  const id: unknown = row instanceof Object ? Reflect.get(row, field) : undefined;
  return ['bigint', 'number', 'string'].includes(typeof id) ? [String(id)] : [];
}

/** Returns the name of the id field in the returned type's model. */
function idFieldOf<Types extends SchemaTypes>(
  { type }: PothosOutputFieldConfig<Types>,
  builder: PothosSchemaTypes.SchemaBuilder<Types>,
): string {
  const item = type.kind === 'List' ? type.type : type;
  const model =
    item.kind === 'Object'
      ? builder.configStore.getTypeConfig(item.ref).extensions?.['pothosPrismaModel']
      : undefined;
  const fields = typeof model === 'string' ? getModel(model, builder).fields : [];
  return fields.find(({ isId }) => isId)?.name ?? 'id';
}

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** Recognizes constraint violations. Without it, they are treated like any other error. */
      violations?: {
        /** The violation that an error thrown by a resolver reports; undefined if none. */
        readonly violationOf: (
          error: unknown,
          context: Types['Context'],
        ) => Promise<Violation | undefined>;
      };
    }
  }
}

/** Turns constraint violations by a field's inputs into NOT_FOUND, CONFLICT or BAD_USER_INPUT. */
export function withoutViolation<Types extends SchemaTypes>(
  resolver: Resolver<Types>,
  { extensions }: PothosOutputFieldConfig<Types>,
  option: PothosSchemaTypes.SchemaBuilderOptions<Types>['violations'],
): Resolver<Types> {
  if (extensions?.['pothosExposedField'] !== undefined || option === undefined) {
    return resolver;
  }
  const { violationOf } = option;
  return function resolveWithoutViolation(root, args, context, info) {
    const result: unknown = resolver(root, args, context, info);
    return isThenable(result)
      ? result.then(undefined, async (error: unknown) => {
          const violation = await violationOf(error, context);
          throw violation === undefined ? error : violationError(violation, args, info);
        })
      : result;
  };
}

function isThenable(result: unknown): result is PromiseLike<unknown> {
  return result instanceof Object && 'then' in result;
}
