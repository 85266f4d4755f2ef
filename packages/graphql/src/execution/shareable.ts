import { isAbstractType, type GraphQLSchema } from 'graphql';
import { memoizePerOperation } from './memoize-per-operation.ts';
import { selectedFields, type SelectedField } from './selected-fields.ts';

/** An operation that may be shared until it has read what belongs to a request. */
export interface Shareable {
  /** Identifies it for as long as it is cached. */
  readonly id: string;
  /** The fields of Query that it selects. */
  readonly fields: readonly string[];
  /** Whether it has read anything that belongs to a request. */
  isOwn: boolean;
}

let shareables = 0;

/**
 * An operation whose requests may share a result: a query whose root fields have the extension `shared`, and none at any depth
 * `shared: false`.
 */
export const shareable = memoizePerOperation((operation): Shareable | undefined => {
  const { schema } = operation;
  const selected = selectedFields(operation);
  const roots = selected.filter(({ isRoot }) => isRoot);
  const areShared = roots.every(
    ({ parent, field }) => parent !== schema.getMutationType() && field.extensions.shared === true,
  );
  if (!areShared || selected.some((member) => isOwn(schema, member))) {
    return undefined;
  }
  const fields = roots.map(({ field }) => field.name);
  shareables += 1;
  return { id: String(shareables), fields, isOwn: false };
});

/** Whether a field, or that of any type behind an interface, is declared to depend on the caller. */
function isOwn(schema: GraphQLSchema, { parent, field }: SelectedField): boolean {
  const types = isAbstractType(parent) ? schema.getPossibleTypes(parent) : [];
  const behind = types.map((type) => type.getFields()[field.name]);
  return [field, ...behind].some((member) => member?.extensions.shared === false);
}
