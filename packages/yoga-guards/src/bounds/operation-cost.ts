import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  valueFromAST,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Executed } from '@gateway/graphql-execution/memoize-per-operation';
import { addCost, noCost, type Cost, type Limit } from './cost.ts';
import { definitionsOf } from './definitions.ts';
import { COST } from './limits.ts';

type Type = GraphQLNamedType | null | undefined;

/**
 * The cost of the one operation of a valid document, before its variables are known. A field costs what `COST` says, also
 * one that a directive leaves out or that is selected twice; what is below an argument `limit` counts that many times.
 */
export function costOfOperation({ schema, document }: Executed): Cost {
  const { operations, fragments } = definitionsOf(document);
  const [operation, another] = operations;
  const known = new Map<string, Cost>();
  const rootCosts = new Map<Type, number>([
    [schema.getQueryType(), COST.query],
    [schema.getMutationType(), COST.mutation],
  ]);

  function costOfFragment(name: string): Cost {
    let cost = known.get(name);
    if (cost === undefined) {
      const fragment = fragments.get(name);
      const type = schema.getType(fragment?.typeCondition.name.value ?? '');
      cost = addSelections(noCost(), fragment?.selectionSet, type);
      known.set(name, cost);
    }
    return cost;
  }

  function addSelections(cost: Cost, selectionSet: SelectionSetNode | undefined, type: Type): Cost {
    for (const selection of selectionSet?.selections ?? []) {
      if (selection.kind === Kind.FIELD) {
        addField(cost, selection, type);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        addCost(cost, 1, costOfFragment(selection.name.value));
      } else {
        const condition = selection.typeCondition?.name.value;
        const narrowed = condition === undefined ? type : schema.getType(condition);
        addSelections(cost, selection.selectionSet, narrowed);
      }
    }
    return cost;
  }

  function addField(cost: Cost, node: FieldNode, parent: Type): void {
    const name = node.name.value;
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (field === undefined) {
      cost.fixed += name === '__typename' ? COST.field : COST.introspection;
      return;
    }
    cost.fixed += rootCosts.get(parent) ?? COST.field;
    const argument = field.args.find((candidate) => candidate.name === 'limit');
    const type = getNamedType(field.type);
    if (argument === undefined) {
      addSelections(cost, node.selectionSet, type);
    } else {
      const below = addSelections(noCost(), node.selectionSet, type);
      addCost(cost, limitOf(argument, node, operation), below);
    }
  }

  return operation === undefined || another !== undefined
    ? noCost()
    : addSelections(noCost(), operation.selectionSet, schema.getRootType(operation.operation));
}

function limitOf(
  argument: GraphQLArgument,
  node: FieldNode,
  operation: OperationDefinitionNode | undefined,
): Limit {
  // A limit that its rule refuses lists nothing: the resolver doesn't run.
  const counted = (value: unknown): number =>
    typeof value === 'number' && argument.extensions.rule?.accepts(value) !== false ? value : 0;

  const given = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
  if (given?.kind !== Kind.VARIABLE) {
    return counted(given ? valueFromAST(given, argument.type) : argument.defaultValue);
  }
  const name = given.name.value;
  const defaultNode = operation?.variableDefinitions?.find(
    ({ variable }) => variable.name.value === name,
  )?.defaultValue;
  const missing = defaultNode ? valueFromAST(defaultNode, argument.type) : argument.defaultValue;
  return (variables) =>
    counted((Object.hasOwn(variables, name) ? variables[name] : null) ?? missing);
}
