import {
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { replacementCalls, type Deprecation } from '../schema/lifecycle.ts';

export interface SelectedDeprecation {
  readonly deprecation: Deprecation;
  /** A document that can be run in the place of what is deprecated. */
  readonly successor: string;
}

/** Notes of each request whether its operation selects a deprecated field, so that it can be told. */
export function useDeprecations(noted: WeakMap<Request, SelectedDeprecation>): Plugin {
  return {
    onExecute({ args, context }) {
      // REST executes without a request, and tells of its routes itself.
      const selected = 'request' in context ? deprecationOf(args) : undefined;
      if (selected !== undefined) {
        noted.set(context.request, selected);
      }
    },
  };
}

type Selected = SelectedDeprecation | undefined;

/** Yoga parses a text once, so most operations have been looked through before. */
const known = new WeakMap<DocumentNode, Map<string, Selected>>();

/** Of the deprecated fields that an operation selects, fragments included, the one that goes first. */
function deprecationOf({ schema, document, operationName }: ExecutionArgs): Selected {
  const name = getOperationAST(document, operationName)?.name?.value ?? '';
  const ofDocument = known.get(document) ?? new Map<string, Selected>();
  known.set(document, ofDocument);
  if (!ofDocument.has(name)) {
    const operation = separateOperations(document)[name] ?? document;
    const [deprecation] = deprecationsIn(operation, schema).toSorted(
      (a, b) => Date.parse(a.removal) - Date.parse(b.removal),
    );
    ofDocument.set(
      name,
      deprecation && { deprecation, successor: successorOf(deprecation, schema) },
    );
  }
  return ofDocument.get(name);
}

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
