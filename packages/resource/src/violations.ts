import type { PothosOutputFieldConfig, SchemaTypes } from '@pothos/core';
import { violationError, type Violation } from '@store-gateway/graphql';
import type { Resolver } from './builder-prototype.ts';

declare global {
  export namespace PothosSchemaTypes {
    interface SchemaBuilderOptions<Types extends SchemaTypes> {
      /** What tells violations of constraints from other errors; without it, they are errors like any other. */
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

/** Answers what the database has against the inputs of a field as NOT_FOUND, CONFLICT or BAD_USER_INPUT. */
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
