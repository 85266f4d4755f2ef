import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  getNamedType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLResolveInfo,
  type SelectionSetNode,
} from 'graphql';

interface Options {
  readonly context: object;
  readonly info: GraphQLResolveInfo;
  /** The type of the rows, and their paths below the field, unless it returns the rows themselves. */
  readonly typeName?: string;
  readonly paths?: string[][];
}

/** Whether nodes of cached documents select more than columns. */
const nodes = new WeakMap<FieldNode, boolean>();

/**
 * The `include` of Prisma's query for a selection. Rows are read whole, so a selection of columns needs none, and skips
 * Pothos's planning, which costs as much as reading a row.
 */
export function selectionQuery(options: Options) {
  const { info } = options;
  return info.fieldNodes.some((node) => selectsRelations(node, info)) ? queryFromInfo(options) : {};
}

function selectsRelations(node: FieldNode, info: GraphQLResolveInfo): boolean {
  let selects = nodes.get(node);
  if (selects === undefined) {
    selects = hasRelation(node.selectionSet, getNamedType(info.returnType), info.fragments);
    nodes.set(node, selects);
  }
  return selects;
}

function hasRelation(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  fragments: GraphQLResolveInfo['fragments'],
): boolean {
  return (selectionSet?.selections ?? []).some((selection): boolean => {
    if (selection.kind !== Kind.FIELD) {
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      return hasRelation(fragment?.selectionSet, type, fragments);
    }
    const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
    if (field === undefined || selection.selectionSet === undefined) {
      return false;
    }
    return (
      type.extensions['pothosPrismaModel'] !== undefined ||
      hasRelation(selection.selectionSet, getNamedType(field.type), fragments)
    );
  });
}
