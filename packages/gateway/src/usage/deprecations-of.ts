import type { Store } from '../definition.ts';
import { resolveSchemaCoordinate, type GraphQLSchema } from 'graphql';
import { removalTime, type NamedDeprecation, deprecationsIn } from '@store-gateway/graphql';
import { recorder } from '@store-gateway/ops';

type DeprecatingStore = Pick<Store, 'schema' | 'rest'>;

/** All that a store has deprecated, what is removed first before the rest. */
export function deprecationsOf({ schema, rest }: DeprecatingStore): NamedDeprecation[] {
  const ofRoutes = rest.routes.flatMap(({ deprecations }) => deprecations.own ?? []);
  return [...deprecationsIn(schema), ...ofRoutes].toSorted((a, b) =>
    `${a.removal} ${a.of}` < `${b.removal} ${b.of}` ? -1 : 1,
  );
}

/** Whether a store has what a deprecation may be of, be it deprecated or not. */
export function hasStill({ schema, rest }: DeprecatingStore, of: string): boolean {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  return (
    rest.routes.some(({ deprecations: { address } }) => address === of) ||
    roots.some((root) => root?.getFields()[of] !== undefined) ||
    hasCoordinate(schema, of)
  );
}

function hasCoordinate(schema: GraphQLSchema, coordinate: string): boolean {
  try {
    return resolveSchemaCoordinate(schema, coordinate) !== undefined;
  } catch {
    // A route's address is none; and that of a member of an unknown type isn't resolved.
    return false;
  }
}

/** Has the metrics tell when each is removed. */
export function observeRemovals(store: DeprecatingStore): void {
  const removals = deprecationsOf(store).map(
    (each) => [removalTime(each) / 1000, { field: each.of }] as const,
  );
  recorder.observe('deprecated_field_removal_timestamp_seconds', () => removals);
}
