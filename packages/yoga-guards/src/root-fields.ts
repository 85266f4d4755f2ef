import { memoizePerOperation } from '@gateway/graphql-execution/memoize-per-operation';
import { selectedFields } from '@gateway/graphql-execution/selected-fields';

/** What operations are called in logs and metrics: the name that a client gives could be any text. */
export const rootFieldOf = memoizePerOperation((operation) => {
  const { schema } = operation;
  const fields = selectedFields(operation).filter(
    ({ parent }) => parent === schema.getQueryType() || parent === schema.getMutationType(),
  );
  const [name = 'none', another] = new Set(fields.map(({ field }) => field.name));
  // A name for each combination would be too many for metrics.
  return another === undefined ? name : 'several';
});
