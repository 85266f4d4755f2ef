import {
  getOperationAST,
  GraphQLError,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLNamedType,
  type SelectionNode,
  type SelectionSetNode,
  valueFromAST,
  type GraphQLArgument,
  type GraphQLField,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { memoizePerOperation, type ValidOperation } from '../execution/operation.ts';
import { definitionsOf } from './document.ts';

/** Maximum complexity of an operation. It allows nine pages of 100 whole objects, but not ten. */
const MAX_COMPLEXITY = 5000;

/** The complexity that a field adds to an operation. Selections below a list count once per item that the list may have. */
const COST = {
  /** Any other field. */
  field: 1,
  /** A field of Query, which reads the database. */
  query: 10,
  /** A field of Mutation, which waits for a write. */
  mutation: 100,
  /** `__schema` and `__type`, whatever is selected below them. */
  introspection: 500,
} as const;

/** Returns the complexity of an operation with its variables; 0 if the document doesn't contain the operation. */
export function complexityOf(operation: ValidOperation): number {
  const hasOperation = getOperationAST(operation.document, operation.operationName) !== null;
  return hasOperation ? amountWith(costOfOperation(operation), operation.variableValues ?? {}) : 0;
}

/** Returns the error for an operation that is too complex to be executed with its variables; undefined if it isn't. */
export function complexityFault(operation: ValidOperation): GraphQLError | undefined {
  const complexity = complexityOf(operation);
  return complexity <= MAX_COMPLEXITY
    ? undefined
    : new GraphQLError(
        `The operation has a complexity of ${complexity}; at most ${MAX_COMPLEXITY} is allowed, and the limit of a list multiplies the cost of its fields`,
        {
          nodes: getOperationAST(operation.document, operation.operationName) ?? null,
          // `spec` marks the request as well-formed, so clients that accept application/json get 200.
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400, spec: true } },
        },
      );
}

type Type = GraphQLNamedType | null | undefined;

/** The cost of selections: per item of the surrounding list, and once for the whole list. */
interface Cost {
  readonly each: Amount;
  readonly once: Amount;
}

/**
 * Returns the cost of the only operation in a valid document, as a number or a function of its variables. A field costs what
 * `COST` defines, even if a directive omits it or it is selected twice. Selections below a list count once per item that the list
 * may have, according to its arguments with `defaultListSize` or its `listSize` (extensions/extensions.ts). A field with its own
 * `cost` counts once for the whole list around it.
 */
const costOfOperation = memoizePerOperation(({ schema, document }): Amount => {
  const { operations, fragments } = definitionsOf(document);
  const [operation] = operations;
  const known = new Map<string, Cost>();
  const rootCosts = new Map<Type, number>([
    [schema.getQueryType(), COST.query],
    [schema.getMutationType(), COST.mutation],
  ]);

  function costOfFragment(name: string): Cost {
    const fragment = fragments.get(name);
    const type = schema.getType(fragment?.typeCondition.name.value ?? '');
    const { each, once } = costOfSelections(fragment?.selectionSet, type);
    return { each: computedOnce(each), once: computedOnce(once) };
  }

  function costOfSelections(selectionSet: SelectionSetNode | undefined, type: Type): Cost {
    const costs = (selectionSet?.selections ?? []).map((selection) => costOf(selection, type));
    return {
      each: sumOf(costs.map(({ each }) => each)),
      once: sumOf(costs.map(({ once }) => once)),
    };
  }

  function costOf(selection: SelectionNode, type: Type): Cost {
    if (selection.kind === Kind.FIELD) {
      return costOfField(selection, type);
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const name = selection.name.value;
      const cost = known.get(name) ?? costOfFragment(name);
      known.set(name, cost);
      return cost;
    }
    const condition = selection.typeCondition?.name.value;
    const narrowed = condition === undefined ? type : schema.getType(condition);
    return costOfSelections(selection.selectionSet, narrowed);
  }

  function costOfField(node: FieldNode, parent: Type): Cost {
    const name = node.name.value;
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (field === undefined) {
      return { each: name === '__typename' ? COST.field : COST.introspection, once: 0 };
    }
    const below = costOfSelections(node.selectionSet, getNamedType(field.type));
    const limit = listLimit(field, node, operation);
    const inAll = sumOf([productOf(limit, below.each), below.once]);
    const { cost } = field.extensions;
    return cost === undefined
      ? { each: sumOf([rootCosts.get(parent) ?? COST.field, inAll]), once: 0 }
      : { each: 0, once: sumOf([cost, inAll]) };
  }

  if (operation === undefined) {
    return 0;
  }
  const { selectionSet, operation: kind } = operation;
  const { each, once } = costOfSelections(selectionSet, schema.getRootType(kind));
  return sumOf([each, once]);
});

/**
 * Returns the maximum number of items that a field lists: the largest size among its arguments, otherwise the default size. A
 * field that isn't a list counts as one item.
 */
function listLimit(
  { args, extensions: { listSize } }: GraphQLField<unknown, unknown>,
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
): Amount {
  const sizes = args.filter(({ extensions }) => extensions.defaultListSize !== undefined);
  const [first] = sizes;
  if (first === undefined || listSize !== undefined) {
    return listSize ?? 1;
  }
  const defaultSize = first.extensions.defaultListSize ?? 0;
  const given = (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = sizes.find((candidate) => candidate.name === name.value);
    return argument === undefined ? [] : sizeReader(argument, value, operation);
  });
  const limit = (variables: Variables): number =>
    given.reduce<Size>((greatest, sizeWith) => {
      const size = sizeWith(variables);
      return size === undefined ? greatest : Math.max(greatest ?? 0, size);
    }, undefined) ?? defaultSize;
  const dependsOnVariables = node.arguments?.some(({ value }) => value.kind === Kind.VARIABLE);
  return dependsOnVariables === true ? limit : limit({});
}

type Size = number | undefined;

function sizeReader(
  { type, extensions }: GraphQLArgument,
  node: ValueNode,
  operation: OperationDefinitionNode | undefined,
): (variables: Variables) => Size {
  const counted = (value: unknown): Size => {
    if (value == null) {
      return undefined;
    }
    // An empty page still has page info. If a rule rejects the size, nothing below the field is executed.
    const isSize = typeof value === 'number' && extensions.rule?.accepts(value) !== false;
    return isSize ? Math.max(value, 1) : 0;
  };
  if (node.kind !== Kind.VARIABLE) {
    const size = counted(valueFromAST(node, type));
    return () => size;
  }
  const name = node.name.value;
  const defaultNode = operation?.variableDefinitions?.find(
    ({ variable }) => variable.name.value === name,
  )?.defaultValue;
  const missing = defaultNode && valueFromAST(defaultNode, type);
  return (variables) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return counted(value === undefined ? missing : value);
  };
}

type Variables = Readonly<Record<string, unknown>>;

/** A number, or a function of an operation's variables. */
type Amount = number | ((variables: Variables) => number);

function amountWith(amount: Amount, variables: Variables): number {
  return typeof amount === 'number' ? amount : amount(variables);
}

function sumOf(amounts: readonly Amount[]): Amount {
  let known = 0;
  const unknown = amounts.filter((amount) => {
    known += typeof amount === 'number' ? amount : 0;
    return typeof amount === 'function';
  });
  return unknown.length === 0
    ? known
    : (variables) => unknown.reduce((sum, amount) => sum + amount(variables), known);
}

function productOf(one: Amount, other: Amount): Amount {
  return typeof one === 'number' && typeof other === 'number'
    ? one * other
    : (variables) => amountWith(one, variables) * amountWith(other, variables);
}

/**
 * Computes an amount only once for the same variables. Otherwise, a chain of fragments that each use the next one twice would
 * take exponential time.
 */
function computedOnce(amount: Amount): Amount {
  const known = new WeakMap<Variables, number>();
  return typeof amount === 'number'
    ? amount
    : (variables) => {
        const before = known.get(variables);
        if (before !== undefined) {
          return before;
        }
        const computed = amount(variables);
        known.set(variables, computed);
        return computed;
      };
}
