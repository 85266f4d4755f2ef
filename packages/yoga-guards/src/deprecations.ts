import {
  getNamedType,
  isLeafType,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { perOperation } from '@gateway/graphql-execution/memoize-per-operation';
import { replacementCalls, type Deprecation } from '@gateway/pothos-plugins/lifecycle';

export interface SelectedDeprecation {
  readonly deprecation: Deprecation;
  /** A document that can be run in the place of what is deprecated. */
  readonly successor: string;
}

/** Notes of each request whether its operation selects a deprecated field, so that it can be told. */
export function useDeprecations(): Plugin<{ deprecation?: SelectedDeprecation | undefined }> {
  return {
    onExecute({ args, extendContext }) {
      extendContext({ deprecation: deprecationOf(args) });
    },
  };
}

/** Of the deprecated fields that an operation selects, fragments included, the one that goes first. */
const deprecationOf = perOperation((document, schema): SelectedDeprecation | undefined => {
  const [deprecation] = deprecationsIn(document, schema).toSorted(
    (a, b) => Date.parse(a.removal) - Date.parse(b.removal),
  );
  return deprecation && { deprecation, successor: successorOf(deprecation, schema) };
});

function deprecationsIn(document: DocumentNode, schema: GraphQLSchema): Deprecation[] {
  const found = new Set<Deprecation>();
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: () => {
        const { deprecation } = typeInfo.getFieldDef()?.extensions ?? {};
        if (deprecation !== undefined) {
          found.add(deprecation);
        }
      },
    }),
  );
  return [...found];
}

/** The first of the fields that serve instead, with everything that can be read there. */
function successorOf(deprecation: Deprecation, schema: GraphQLSchema): string {
  const [call = ''] = replacementCalls(deprecation);
  const [field] = deprecation.replacement.fields;
  const type = getNamedType(schema.getQueryType()?.getFields()[field]?.type);
  const leaves = isObjectType(type)
    ? Object.values(type.getFields()).filter((member) => isLeafType(getNamedType(member.type)))
    : [];
  return `{ ${call} { ${leaves.map(({ name }) => name).join(' ')} } }`;
}
