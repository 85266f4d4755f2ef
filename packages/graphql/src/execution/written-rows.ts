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
  TakenRows,
  WrittenJson,
  type RowTexts,
  takesRows,
  type WrittenColumn,
} from '@store-gateway/ops';
import { fieldsOf, keyOf, memoizePerOperation, type ValidOperation } from './operation.ts';

/** What an execution is given. */
export interface OperationArgs extends ExecutionArgs {
  readonly planRows?: PlanRows | undefined;
}

type ExecuteRoot = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/** A result whose list is written already. */
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

  /** The whole as JSON. */
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

/** Whether a result is as it was asked for: rows are only written for those who have the same plan for them. */
export function isAsPlanned(
  result: ExecutionResult,
  { planRows, ...args }: OperationArgs,
): boolean {
  return !(result instanceof ResultWithRows) || result.isBy(planRows?.(args));
}

/**
 * Executes an operation, and writes its list from what the database wrote. If something of that fails, the operation is executed
 * once more: it is a query, and graphql-js has the errors.
 */
export async function executeWithRows(
  { planRows, ...args }: OperationArgs,
  execute: ExecuteRoot,
): Promise<ExecutionResult> {
  const plan = planRows?.(args);
  if (plan === undefined) {
    return execute(args);
  }
  const taken = new TakenRows();
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

/** The list of an operation that selects nothing of its rows but columns, and how they are written. */
interface RowsPlan {
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
  const known = [...columns.values()].filter((column) => column !== undefined);
  return known.length === columns.size && known.length > 0
    ? { key, nodesKey, columns: known }
    : undefined;
}

/** The fields that a selection has; undefined if any is none of an object's own. */
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

/** How a surface writes values of leaves. */
export interface LeafForm {
  /** Whether ids that are integers are in quotes, as all others then are. */
  readonly quotesIds: (field: GraphQLField<unknown, unknown>) => boolean;
  /** Writes what a field's type has serialized. */
  readonly writerOf: (field: GraphQLField<unknown, unknown>) => (serialized: unknown) => string;
}

/** The column of a field that is a plain property; undefined for any other, one with a scope for example. */
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

/** Writes values that aren't null of a leaf's type, or of a list of one's; undefined for any other type. */
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
          throw new TypeError('an item is null');
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
      throw new TypeError(`${nullable.name} has no such value`);
    }
    return write(serialized);
  };
}
