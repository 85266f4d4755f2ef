import {
  getNamedType,
  getNullableType,
  getOperationAST,
  isListType,
  isObjectType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type SelectionSetNode,
} from 'graphql';
import { takesRows, type WrittenColumn } from '@store-gateway/ops';
import { memoizePerOperation, type ValidOperation } from './memoize-per-operation.ts';
import { columnOf, type LeafForm } from './written-column.ts';

export type { LeafForm } from './written-column.ts';

/** The list of an operation that selects nothing of its rows but columns, and how they are written. */
export interface RowsPlan {
  /** Where the list, or its connection, is in the result. */
  readonly key: string;
  /** Where the connection has its rows. */
  readonly nodesKey: string | undefined;
  readonly columns: readonly WrittenColumn[];
}

/** The plan of an operation that is executed again; undefined if it has none. */
export type PlanRows = (operation: ValidOperation) => RowsPlan | undefined;

/** Plans rows as GraphQL writes them. */
export const graphqlRowsPlan: PlanRows = memoizePerOperation((operation) =>
  rowsPlan(operation, { quotesIds: () => true, writerOf: () => JSON.stringify }),
);

/**
 * The plan of a query for one list, or one connection, of `listField` or `connectionField`, whose rows are selected by nothing
 * but columns. What hides a column from some callers has a resolver, and no plan; nor has a list whose resolver another plugin
 * wraps, which may hide rows.
 */
export function rowsPlan(
  { schema, document }: Pick<ValidOperation, 'schema' | 'document'>,
  form: LeafForm,
): RowsPlan | undefined {
  const operation = getOperationAST(document);
  const query = schema.getQueryType();
  if (operation?.operation !== OperationTypeNode.QUERY || !query) {
    return undefined;
  }
  const [list, another] = fieldsIn(operation.selectionSet, query, document) ?? [];
  if (list === undefined || !takesRows(list.field.resolve) || another !== undefined) {
    return undefined;
  }
  const key = keyOf(list.node);
  if (isListType(getNullableType(list.field.type))) {
    return planOf([key, undefined], list, document, form);
  }
  const members = fieldsIn(list.node.selectionSet, getNamedType(list.field.type), document) ?? [];
  const [nodes, ...others] = members.filter(({ field: { name } }) => ROWS.has(name));
  return nodes !== undefined && takesRows(nodes.field.resolve) && others.length === 0
    ? planOf([key, keyOf(nodes.node)], nodes, document, form)
    : undefined;
}

/** The fields of a connection that have its rows. */
const ROWS = new Set(['nodes', 'edges']);

interface Selected {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
}

function planOf(
  [key, nodesKey]: readonly [key: string, nodesKey: string | undefined],
  { node, field: { type } }: Selected,
  document: DocumentNode,
  form: LeafForm,
): RowsPlan | undefined {
  const selected = fieldsIn(node.selectionSet, getNamedType(type), document) ?? [];
  const columns = new Map<string, WrittenColumn | undefined>();
  for (const column of selected) {
    columns.set(keyOf(column.node), columnOf(column.field, keyOf(column.node), form));
  }
  const written = [...columns.values()].filter((column) => column !== undefined);
  return written.length === columns.size && written.length > 0
    ? { key, nodesKey, columns: written }
    : undefined;
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}

/** The fields that a selection has, those of fragments in their places; undefined if any is none of an object's own. */
function fieldsIn(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  document: DocumentNode,
): Selected[] | undefined {
  const fields: Selected[] = [];
  for (const selection of selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FIELD) {
      const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined;
      if (field === undefined) {
        return undefined;
      }
      fields.push({ node: selection, field });
    } else {
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : document.definitions.find(
              (definition) =>
                definition.kind === Kind.FRAGMENT_DEFINITION &&
                definition.name.value === selection.name.value,
            );
      const inside =
        fragment !== undefined && 'selectionSet' in fragment
          ? fieldsIn(fragment.selectionSet, type, document)
          : undefined;
      if (inside === undefined) {
        return undefined;
      }
      fields.push(...inside);
    }
  }
  return fields;
}
