import {
  type ExecutionArgs,
  type ExecutionResult,
  getNamedType,
  getNullableType,
  getOperationAST,
  isListType,
  isObjectType,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type SelectionSetNode,
  GraphQLID,
  isEnumType,
  isLeafType,
  isNonNullType,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLType,
} from 'graphql';
import {
  isJsonObject,
  RowSink,
  WrittenJson,
  type RowTexts,
  acceptsRowSink,
  type WrittenColumn,
} from '@store-gateway/ops';
import { fieldsOf, keyOf, memoizePerOperation, type ValidOperation } from './operation.ts';

/** The arguments of an execution. */
export interface OperationArgs extends ExecutionArgs {
  readonly planRows?: PlanRows | undefined;
}

type ExecuteRoot = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** A result whose list is already written as JSON. */
export class ResultWithRows implements ExecutionResult {
  readonly data: Record<string, unknown>;
  readonly #plan: RowsPlan;
  readonly #rows: WrittenJson;

  constructor(data: unknown, plan: RowsPlan, rows: WrittenJson) {
    const { key, nodesKey } = plan;
    const connection = isJsonObject(data) ? data[key] : undefined;
    this.data = {
      [key]:
        nodesKey !== undefined && isJsonObject(connection)
          ? { ...connection, [nodesKey]: rows }
          : rows,
    };
    this.#plan = plan;
    this.#rows = rows;
  }

  isBy(plan: RowsPlan | undefined): boolean {
    return this.#plan === plan;
  }

  /** Writes the whole result as JSON. */
  toText(): string {
    const { key, nodesKey } = this.#plan;
    const connection = this.data[key];
    const members =
      nodesKey !== undefined && isJsonObject(connection)
        ? Object.entries(connection).map(
            ([name, value]) =>
              `${JSON.stringify(name)}:${value === this.#rows ? this.#rows.text : JSON.stringify(value)}`,
          )
        : undefined;
    const text = members === undefined ? this.#rows.text : `{${members.join(',')}}`;
    return `{"data":{${JSON.stringify(key)}:${text}}}`;
  }
}

/**
 * Whether a result can be sent to a request's client. Rows that are already JSON can only be sent for requests with the same
 * plan.
 */
export function matchesPlan(
  result: ExecutionResult,
  { planRows, ...args }: OperationArgs,
): boolean {
  return !(result instanceof ResultWithRows) || result.isBy(planRows?.(args));
}

/**
 * Executes an operation, and writes its list as JSON from the text values that the database returned. If any of these steps
 * fails, the operation is executed again without the plan, which returns the right errors. It is a query, so it may be repeated.
 */
export async function executeWithRows(
  { planRows, ...args }: OperationArgs,
  execute: ExecuteRoot,
): Promise<ExecutionResult> {
  const plan = planRows?.(args);
  if (plan === undefined) {
    return execute(args);
  }
  const taken = new RowSink();
  const result = await execute({ ...args, rootValue: taken });
  if (taken.rows === undefined) {
    return result;
  }
  const text = result.errors === undefined ? written(taken.rows, plan) : undefined;
  return text === undefined
    ? execute(args)
    : new ResultWithRows(result.data, plan, new WrittenJson(text));
}

function written(rows: RowTexts, { columns }: RowsPlan): string | undefined {
  try {
    return rows.write(columns);
  } catch {
    return undefined;
  }
}

/** The plan for an operation's list, if the operation selects only columns of the list's rows. */
interface RowsPlan {
  /** The key of the list, or of its connection, in the result. */
  readonly key: string;
  /** The key of the rows in the connection; undefined if there is no connection. */
  readonly nodesKey: string | undefined;
  readonly columns: readonly WrittenColumn[];
}

/** Returns an operation's plan; undefined if it has none. */
export type PlanRows = (operation: ValidOperation) => RowsPlan | undefined;

/** Plans rows in GraphQL's JSON format. */
export const graphqlRowsPlan: PlanRows = memoizePerOperation((operation) =>
  rowsPlan(operation, { quotesIds: () => true, writerOf: () => JSON.stringify }),
);

/**
 * Returns the plan of a query for one list or connection of `listField` or `connectionField` that selects only columns of the
 * rows. There is no plan if a column has a resolver, which may hide it from some callers, or if another plugin wraps the list's
 * resolver, which may hide rows.
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
  if (list === undefined || !acceptsRowSink(list.field.resolve) || another !== undefined) {
    return undefined;
  }
  const key = keyOf(list.node);
  if (isListType(getNullableType(list.field.type))) {
    return planOf([key, undefined], list, document, form);
  }
  const members = fieldsIn(list.node.selectionSet, getNamedType(list.field.type), document) ?? [];
  const [nodes, ...others] = members.filter(({ field: { name } }) => ROWS.has(name));
  return nodes !== undefined && acceptsRowSink(nodes.field.resolve) && others.length === 0
    ? planOf([key, keyOf(nodes.node)], nodes, document, form)
    : undefined;
}

/** The fields of a connection that contain its rows. */
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
  const known = [...columns.values()].filter((column) => column !== undefined);
  return known.length === columns.size && known.length > 0
    ? { key, nodesKey, columns: known }
    : undefined;
}

/** Returns the fields of a selection; undefined if one of them isn't a field of the object type itself. */
function fieldsIn(
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType,
  document: DocumentNode,
): readonly Selected[] | undefined {
  const own = isObjectType(type) ? type.getFields() : undefined;
  const fields: Selected[] = [];
  for (const { node } of selectionSet === undefined ? [] : fieldsOf(selectionSet, document)) {
    const field = own?.[node.name.value];
    if (field === undefined) {
      return undefined;
    }
    fields.push({ node, field });
  }
  return fields;
}

/** How an API writes leaf values. */
export interface LeafForm {
  /** Whether all ids are written in quotes, even integers. */
  readonly quotesIds: (field: GraphQLField<unknown, unknown>) => boolean;
  /** Returns the function that writes a field's serialized values. */
  readonly writerOf: (field: GraphQLField<unknown, unknown>) => (serialized: unknown) => string;
}

/** Returns the column of a field that is a plain property; undefined for any other field, such as one with a scope. */
function columnOf(
  field: GraphQLField<unknown, unknown>,
  key: string,
  form: LeafForm,
): WrittenColumn | undefined {
  const write = writerOf(field.type, form.writerOf(field));
  const nullable = getNullableType(field.type);
  const scalar = isScalarType(nullable) && isSpecifiedScalarType(nullable) ? nullable.name : '';
  return field.resolve === undefined &&
    field.extensions['pothosExposedField'] === field.name &&
    write !== undefined
    ? {
        name: `${JSON.stringify(key)}:`,
        field: field.name,
        isNonNull: isNonNullType(field.type),
        scalar,
        quotesIds: scalar === GraphQLID.name && form.quotesIds(field),
        write,
      }
    : undefined;
}

/** Returns a function that writes non-null values of a leaf type, or of a list of one; undefined for any other type. */
function writerOf(
  type: GraphQLType,
  write: (serialized: unknown) => string,
): WrittenColumn['write'] | undefined {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item = writerOf(nullable.ofType, write);
    return (
      item &&
      ((list) => {
        const items = Array.isArray(list) ? list : [];
        if (isNonNullType(nullable.ofType) && items.includes(null)) {
          throw new TypeError('a list contains null, although its items are non-null');
        }
        return `[${items.map((value) => (value === null ? 'null' : item(value))).join(',')}]`;
      })
    );
  }
  if (!isLeafType(nullable)) {
    return undefined;
  }
  const ofEnum = isEnumType(nullable)
    ? new Map<unknown, string>(nullable.getValues().map(({ name, value }) => [value, write(name)]))
    : undefined;
  return (value) => {
    const known = ofEnum?.get(value);
    if (known !== undefined) {
      return known;
    }
    const serialized: unknown = nullable.serialize(value);
    if (serialized == null) {
      throw new TypeError(`${nullable.name}.serialize returned no value for a non-null value`);
    }
    return write(serialized);
  };
}
