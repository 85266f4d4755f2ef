import { defaultFieldResolver, isObjectType, type GraphQLField, type GraphQLSchema } from 'graphql';
import { expectScopes, type Marker, removalError, scopesOfField } from '@store-gateway/graphql';
import { takingRowsAs } from '@store-gateway/ops';
import type { Scopes } from '@store-gateway/ops/errors';
import type { AnyTypes } from './builder.ts';

type AnyContext = AnyTypes['Context'];

interface Checks {
  readonly scopesOf: ((context: AnyContext) => Scopes) | undefined;
  /** Milliseconds since 1970. */
  readonly now: (context: AnyContext) => number;
}

/**
 * Makes fields of Query and Mutation reject calls from the day of their removal on, so that the fields beside them are
 * executed, and makes all other fields check their scopes. Everything else is checked before an operation is executed. Both
 * checks come first, so that a rejected call reveals nothing, not even faults of its arguments.
 */
export function checkedFields(schema: GraphQLSchema, { scopesOf, now }: Checks): Marker {
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
      field.resolve = takingRowsAs(resolve, function resolveChecked(root, args, context, info) {
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
