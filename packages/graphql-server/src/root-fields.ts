import { memoizePerOperation } from './execution/memoize-per-operation.ts';
import { selectedFields } from './execution/selected-fields.ts';

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
