import {
  getNamedType,
  isLeafType,
  isObjectType,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { replacementCalls, type Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { memoizePerOperation, type ValidOperation } from './execution/memoize-per-operation.ts';
import { selectedFields } from './execution/selected-fields.ts';

export interface SelectedDeprecation {
  readonly deprecation: Deprecation;
  /** A document that reads the same without the deprecated field. */
  readonly successor: string;
}

/** The deprecated field that an operation selects: of several, the one that is removed first. */
export const deprecationOf = memoizePerOperation((operation): SelectedDeprecation | undefined => {
  const [deprecation] = selectedFields(operation)
    .flatMap(({ field }) => field.extensions.deprecation ?? [])
    .toSorted((a, b) => Date.parse(a.removal) - Date.parse(b.removal));
  return deprecation && { deprecation, successor: successorOf(deprecation, operation.schema) };
});

/** Calls the first replacement, and selects every leaf there. */
function successorOf(deprecation: Deprecation, schema: GraphQLSchema): string {
  const [call = ''] = replacementCalls(deprecation);
  const [field] = deprecation.replacement.fields;
  const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
  const leaves = isObjectType(type)
    ? Object.values(type.getFields()).filter(
        ({ type: ofMember, extensions }) =>
          isLeafType(getNamedType(ofMember)) && extensions.isVersion !== true,
      )
    : [];
  return `{ ${call} { ${leaves.map(({ name }) => name).join(' ')} } }`;
}

/** Names the deprecated field of each call that an operation has made, also if its result is shared. */
export function deprecatedCalls(operation: ValidOperation, { data }: ExecutionResult): string[] {
  // Without data, it was refused before anything was called; what a directive leaves out isn't called either.
  const isCalled = (key: string) => data === null || data?.[key] !== undefined;
  return deprecatedRootFields(operation).flatMap(([key, name]) => (isCalled(key) ? name : []));
}

/** The keys of their results, and their names. */
const deprecatedRootFields = memoizePerOperation((operation) => [
  ...new Map(
    selectedFields(operation)
      .filter(({ isRoot, field }) => isRoot && field.extensions.deprecation)
      .map(({ key, field }) => [key, field.name]),
  ),
]);
