import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  valueFromAST,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fixedCost, sumOfCosts, timesLimit, type Cost, type Limit } from './cost.ts';
import { fragmentsOf } from './definitions.ts';
import { COST } from './limits.ts';

interface Surroundings {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly costOfFragment: (name: string) => Cost;
}

/**
 * What an operation of a valid document costs, as far as can be told before its variables are known. A
 * field costs what `COST` says, also one that a directive leaves out or that is selected twice, and
 * what is below a field with an argument `limit` counts that many times.
 */
export function costOfOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Cost {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Cost>();
  const surroundings: Surroundings = {
    schema,
    operation,
    costOfFragment: (name) => {
      const fragment = fragments.get(name);
      const cost =
        known.get(name) ??
        costOfSelections(
          surroundings,
          fragment?.selectionSet,
          schema.getType(fragment?.typeCondition.name.value ?? ''),
        );
      known.set(name, cost);
      // As a part of its own, so that the uses of a fragment share what is not known yet.
      return cost.parts.length === 0 ? cost : timesLimit(1, cost);
    },
  };
  return costOfSelections(
    surroundings,
    operation.selectionSet,
    schema.getRootType(operation.operation),
  );
}

function costOfSelections(
  surroundings: Surroundings,
  selectionSet: SelectionSetNode | undefined,
  type: GraphQLNamedType | null | undefined,
): Cost {
  const costs = (selectionSet?.selections ?? []).map((node) => {
    if (node.kind === Kind.FIELD) {
      return costOfField(surroundings, node, type);
    }
    if (node.kind === Kind.FRAGMENT_SPREAD) {
      return surroundings.costOfFragment(node.name.value);
    }
    const condition = node.typeCondition;
    const narrowed = condition ? surroundings.schema.getType(condition.name.value) : type;
    return costOfSelections(surroundings, node.selectionSet, narrowed);
  });
  return sumOfCosts(costs);
}

function costOfField(
  surroundings: Surroundings,
  node: FieldNode,
  parent: GraphQLNamedType | null | undefined,
): Cost {
  const name = node.name.value;
  if (name === '__schema' || name === '__type') {
    return fixedCost(COST.introspection);
  }
  const field =
    isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
  if (field === undefined) {
    return fixedCost(COST.field);
  }
  const { schema, operation } = surroundings;
  const below = costOfSelections(surroundings, node.selectionSet, getNamedType(field.type));
  const argument = field.args.find((candidate) => candidate.name === 'limit');
  const ownCosts = new Map<unknown, number>([
    [schema.getQueryType(), COST.query],
    [schema.getMutationType(), COST.mutation],
  ]);
  return sumOfCosts([
    fixedCost(ownCosts.get(parent) ?? COST.field),
    argument === undefined ? below : timesLimit(limitOf(argument, node, operation), below),
  ]);
}

function limitOf(
  argument: GraphQLArgument,
  node: FieldNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): number | Limit {
  // A limit that its rule refuses lists nothing: the resolver doesn't run.
  const counted = (value: unknown): number =>
    typeof value === 'number' && argument.extensions.rule?.accepts(value) !== false ? value : 0;

  const given = node.arguments?.find(({ name }) => name.value === argument.name)?.value;
  if (given?.kind !== Kind.VARIABLE) {
    return counted(given ? valueFromAST(given, argument.type) : argument.defaultValue);
  }
  const name = given.name.value;
  const defaultNode = variableDefinitions.find(
    ({ variable }) => variable.name.value === name,
  )?.defaultValue;
  const missing = defaultNode ? valueFromAST(defaultNode, argument.type) : argument.defaultValue;
  return (variables) =>
    counted((Object.hasOwn(variables, name) ? variables[name] : null) ?? missing);
}
