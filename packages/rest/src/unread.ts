import {
  getNamedType,
  getOperationAST,
  isObjectType,
  Kind,
  OperationTypeNode,
  separateOperations,
  visit,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { operationOf, type Operation } from './operation.ts';

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
