import { queryFromInfo } from '@pothos/plugin-prisma';
import {
  getNamedType,
  isCompositeType,
  Kind,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
} from 'graphql';
import { selectedFields, type SelectedField } from '@store-gateway/graphql';
import { requestContextOf } from './idempotency.ts';

interface Options {
  readonly context: object;
  readonly info: GraphQLResolveInfo;
  /** The type of the rows, and their paths below the field; undefined if the field returns the rows themselves. */
  readonly typeName?: string;
  readonly paths?: string[][];
  /** Columns to read even if they aren't selected. */
  readonly columns?: readonly { readonly field: string }[];
}

/** Whether an operation selects relations, or fields that are computed from columns; cached by operation. */
const operations = new WeakMap<OperationDefinitionNode, boolean>();

/**
 * Returns the `include` of Prisma's query for a selection. Rows are read whole, so an operation that selects only columns doesn't
 * need an `include`, and skips Pothos's planning, which costs as much as reading a row.
 */
export function selectionQuery(options: Options) {
  const { operation, fragments, schema } = options.info;
  let selects = operations.get(operation);
  if (selects === undefined) {
    const definitions = [operation, ...Object.values(fragments)];
    const document = { kind: Kind.DOCUMENT, definitions } as const;
    selects = selectedFields({ schema, document }).some(({ mark }) => needsPlan(mark));
    operations.set(operation, selects);
  }
  // The row's fields are resolved with the request's context. Without a plan for that context, Pothos would read the row again.
  const context = requestContextOf(options.context) ?? options.context;
  return selects ? withColumns(queryFromInfo({ ...options, context }), options.columns ?? []) : {};
}

function withColumns<Query extends { select?: object | undefined }>(
  query: Query,
  columns: readonly { readonly field: string }[],
): Query {
  return query.select === undefined
    ? query
    : {
        ...query,
        select: {
          ...query.select,
          ...Object.fromEntries(columns.map(({ field }) => [field, true])),
        },
      };
}

/** Whether a field belongs to a row, and returns other rows or is computed from columns. */
function needsPlan({ parent, field: { type, extensions } }: SelectedField): boolean {
  const isComputed =
    extensions.pothosPrismaSelect !== undefined &&
    extensions.pothosExposedField === undefined &&
    extensions.isVersion !== true;
  return (
    parent.extensions['pothosPrismaModel'] !== undefined &&
    (isComputed || isCompositeType(getNamedType(type)))
  );
}
