import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLNamedType,
  type SelectionSetNode,
} from 'graphql';
import type { ValidOperation } from '../execution/memoize-per-operation.ts';
import { addCost, noCost, type Cost } from './cost.ts';
import { definitionsOf } from './definitions.ts';
import { COST } from './limits.ts';
import { listLimit } from './list-limit.ts';

type Type = GraphQLNamedType | null | undefined;

/**
 * The cost of the one operation of a valid document, before its variables are known. A field costs what `COST` says, also
 * one that a directive leaves out or that is selected twice; what is below a list counts as often as the list may have items:
 * its arguments with `defaultListSize`, or its `listSize` (packages/pothos-plugins), say how many.
 */
export function costOfOperation({ schema, document }: ValidOperation): Cost {
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
    const type = getNamedType(field.type);
    const sizes = field.args.filter(({ extensions }) => extensions.defaultListSize !== undefined);
    const { listSize } = field.extensions;
    if (sizes.length === 0 && listSize === undefined) {
      addSelections(cost, node.selectionSet, type);
    } else {
      const below = addSelections(noCost(), node.selectionSet, type);
      addCost(cost, listSize ?? listLimit(sizes, node, operation), below);
    }
  }

  return operation === undefined || another !== undefined
    ? noCost()
    : addSelections(noCost(), operation.selectionSet, schema.getRootType(operation.operation));
}
