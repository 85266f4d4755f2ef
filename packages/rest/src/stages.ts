import {
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  OperationTypeNode,
  parse,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { removalTime, type NamedDeprecation } from '@store-gateway/graphql';
import { operationOf, type Operation } from './operation.ts';

/** The operation that a route executes until a member is removed from its representation. */
export interface Stage {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly operation: Operation;
}

interface StagedRoute {
  /** The operation until the first removal. */
  readonly operation: Operation;
  /** The text of its document. */
  readonly source: string;
  /** The deprecations of members of its representation. */
  readonly members: readonly NamedDeprecation[];
  readonly hasEntityTag: boolean;
}

/**
 * Returns the stages of a route, the last of which never ends. REST clients can't choose their members, so a deprecated member
 * is omitted from its removal day on.
 *
 * @throws if an object would have no members left
 */
export function stagesOf(
  schema: GraphQLSchema,
  { operation, source, members, hasEntityTag }: StagedRoute,
): readonly Stage[] {
  const removals = [...new Set(members.map(removalTime))].toSorted((a, b) => a - b);
  const later = removals.map((from, index) => {
    const left = withoutRemoved(schema, { name: operation.name, document: parse(source) }, from);
    return {
      until: removals[index + 1] ?? Infinity,
      operation: operationOf(schema, left, hasEntityTag),
    };
  });
  return [{ until: removals[0] ?? Infinity, operation }, ...later];
}

/** Returns the operation that a route executes at a time. */
export function operationAt(stages: readonly Stage[], now: number): Operation {
  const stage = stages.find(({ until }) => now < until);
  if (stage === undefined) {
    throw new Error('the last stage of a route ends');
  }
  return stage.operation;
}

function withoutRemoved(
  schema: GraphQLSchema,
  { name, document }: Pick<Operation, 'name' | 'document'>,
  now: number,
): DocumentNode {
  const typeInfo = new TypeInfo(schema);
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  const left = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: () => {
        const { deprecation } = typeInfo.getFieldDef()?.extensions ?? {};
        const isRemoved = deprecation !== undefined && removalTime(deprecation) <= now;
        return isRemoved && !roots.has(typeInfo.getParentType()) ? null : undefined;
      },
      SelectionSet: {
        leave: ({ selections }) => {
          if (selections.length === 0) {
            throw new Error(
              `The REST route ${name} would select no field of ${String(typeInfo.getParentType())} after the removal of its deprecated fields`,
            );
          }
        },
      },
    }),
  );
  // Drops the fragments that are no longer used.
  return separateOperations(left)[name] ?? left;
}

const ID: SelectionSetNode = {
  kind: Kind.SELECTION_SET,
  selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: 'id' } }],
};

/**
 * Reduces the selection of a change to the id of its row, so that callers without the scope `read` may make it. Returns undefined
 * for queries, and for mutations that create a row.
 */
export function withoutRow(
  schema: GraphQLSchema,
  { name, document, field }: Operation,
): Operation | undefined {
  const type = getNamedType(field.type);
  if (
    getOperationAST(document)?.operation !== OperationTypeNode.MUTATION ||
    field.extensions.createsRow === true ||
    !isObjectType(type) ||
    type.getFields()['id'] === undefined
  ) {
    return undefined;
  }
  const changed = visit(document, {
    // A route's mutation has one field, which may be in a fragment.
    Field: (node: FieldNode): FieldNode | undefined =>
      node.name.value === field.name ? { ...node, selectionSet: ID } : undefined,
  });
  return operationOf(schema, separateOperations(changed)[name] ?? changed, false);
}
