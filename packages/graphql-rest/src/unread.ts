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
 * The same change, which selects only the id of its row, so that callers without the scope `read` may make it. Undefined for
 * what isn't a change of one row: a query, or a mutation that creates one.
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
    // Of a route's mutation there is one field, which may be in a fragment.
    Field: (node: FieldNode): FieldNode | undefined =>
      node.name.value === field.name ? { ...node, selectionSet: ID } : undefined,
  });
  return operationOf(schema, separateOperations(changed)[name] ?? changed, false);
}
