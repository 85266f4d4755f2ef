import { getNamedType, isLeafType, isObjectType, type GraphQLSchema } from 'graphql';
import { memoizePerOperation } from './execution/memoize-per-operation.ts';
import { selectedFields } from './execution/selected-fields.ts';
import { replacementCalls, type Deprecation } from '@gateway/pothos-plugins/lifecycle';

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
    ? Object.values(type.getFields()).filter((member) => isLeafType(getNamedType(member.type)))
    : [];
  return `{ ${call} { ${leaves.map(({ name }) => name).join(' ')} } }`;
}
