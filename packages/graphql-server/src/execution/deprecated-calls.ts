import type { ExecutionResult } from 'graphql';
import { memoizePerOperation, type Executed } from './memoize-per-operation.ts';
import { selectedFields } from './selected-fields.ts';

/** Names the deprecated field of each call that an operation has made, whoever else shares its result. */
export function deprecatedCalls(operation: Executed, { data }: ExecutionResult): readonly string[] {
  const { keys, fields } = deprecatedSelections(operation);
  // Without data, it was refused before anything was called.
  if (data === undefined) return [];
  // What a directive leaves out isn't called.
  const isCalled = (key: string): boolean => data === null || data[key] !== undefined;
  return keys.every(isCalled) ? fields : fields.filter((_field, at) => isCalled(keys[at] ?? ''));
}

/** The deprecated root fields that an operation selects, and the keys of their results. */
const deprecatedSelections = memoizePerOperation((operation) => {
  const { schema } = operation;
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const selected = new Map(
    selectedFields(operation)
      .filter(
        ({ parent, field }) =>
          field.extensions.deprecation && roots.some((root) => root === parent),
      )
      .map(({ key, field }) => [key, field.name]),
  );
  return { keys: [...selected.keys()], fields: [...selected.values()] };
});
