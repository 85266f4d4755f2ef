import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { violationError, type Violation } from './violation-error.ts';

export const VIOLATIONS = 'violations';

declare global {
  export namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      [VIOLATIONS]: ViolationsPlugin<Types>;
    }
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      violations: {
        /** What an error that a resolver has thrown says of its inputs; undefined if nothing. */
        readonly violationOf: (
          error: unknown,
          context: Types['Context'],
        ) => Promise<Violation | undefined>;
      };
    }
  }
}

/** Answers what the database has against the inputs of a field as NOT_FOUND, CONFLICT or BAD_USER_INPUT. */
class ViolationsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (extensions?.['pothosExposedField'] !== undefined) {
      return resolver;
    }
    const { violationOf } = this.builder.options.violations;
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
}

function isThenable(result: unknown): result is PromiseLike<unknown> {
  return result instanceof Object && 'then' in result;
}

SchemaBuilder.registerPlugin(VIOLATIONS, ViolationsPlugin);
