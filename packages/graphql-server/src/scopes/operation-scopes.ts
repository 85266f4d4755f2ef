import { Kind, type GraphQLCompositeType, type GraphQLSchema } from 'graphql';
import { scopesOfField } from '@store-gateway/schema-extensions/scopes';
import { memoizePerOperation, type ValidOperation } from '../execution/memoize-per-operation.ts';
import { createUses, type Use } from '../uses/uses.ts';

/** The names of scopes that are needed. */
export type Scopes = readonly string[];

const { possibleUsesOf, usesOf } = createUses<Scopes>({
  ofField: (field, parent, schema) =>
    // Introspection tells nothing of what is stored.
    field.name.startsWith('__')
      ? undefined
      : orNone([...scopesOfRoot(parent, schema), ...scopesOfField(field)]),
  ofGiven: ({ extensions }) => orNone(extensions.scopes ?? []),
});

/** What fields of Query and of Mutation need, whatever they declare. */
export function scopesOfRoot(parent: GraphQLCompositeType, schema: GraphQLSchema): Scopes {
  if (parent === schema.getMutationType()) {
    return ['write'];
  }
  return parent === schema.getQueryType() || parent === schema.getSubscriptionType()
    ? ['read']
    : [];
}

function orNone(scopes: Scopes): Scopes | undefined {
  return scopes.length === 0 ? undefined : scopes;
}

/** The scopes that all of a document needs, whatever its variables are. */
export const scopesOfDocument = memoizePerOperation((operation): ReadonlySet<string> =>
  scopesOfUses(possibleUsesOf(operation).always),
);

/**
 * The scopes without which nothing of an operation is executed: those of fields of Query and Mutation, be they left out by a
 * directive or not, and of the inputs that it gives. Other fields that lack theirs are errors in their place.
 */
export function scopesBeforeExecution(operation: ValidOperation): ReadonlySet<string> {
  return scopesOfUses(usesOf(operation).filter(isBeforeExecution));
}

function isBeforeExecution({ node, rootKey }: Use<Scopes>): boolean {
  return node.kind !== Kind.FIELD || rootKey !== undefined;
}

function scopesOfUses(uses: readonly Use<Scopes>[]): ReadonlySet<string> {
  return new Set(uses.flatMap(({ mark }) => mark));
}
