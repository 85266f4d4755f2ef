import type { ExecutionResult } from 'graphql';
import { memoizePerOperation, type Executed } from './memoize-per-operation.ts';
import { selectedFields } from './selected-fields.ts';

/** Names the deprecated field of each call that an operation has made, whoever else shares its result. */
export function deprecatedCalls(operation: Executed, { data }: ExecutionResult): readonly string[] {
  const selected = deprecatedSelections(operation);
  // Without data, it was refused before anything was called.
  return selected.size === 0 || data === undefined
    ? []
    : [...selected]
        // What a directive leaves out isn't called.
        .filter(([key]) => data === null || data[key] !== undefined)
        .map(([, field]) => field);
}

/** The deprecated root fields that an operation selects, by the keys of their results. */
const deprecatedSelections = memoizePerOperation((operation): ReadonlyMap<string, string> => {
  const { schema } = operation;
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const selected = selectedFields(operation).filter(
    ({ parent, field }) => field.extensions.deprecation && roots.some((root) => root === parent),
  );
  return new Map(selected.map(({ key, field }) => [key, field.name]));
});
