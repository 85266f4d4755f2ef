import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type FieldNode,
  type GraphQLNamedType,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { ValidOperation } from '../execution/memoize-per-operation.ts';
import { computedOnce, productOf, sumOf, type Amount } from './amount.ts';
import { definitionsOf } from './definitions.ts';
import { COST } from './limits.ts';
import { listLimit } from './list-limit.ts';

type Type = GraphQLNamedType | null | undefined;

/**
 * The cost of the one operation of a valid document, before its variables are known. A field costs what `COST` says, also
 * one that a directive leaves out or that is selected twice; what is below a list counts as often as the list may have items:
 * its arguments with `defaultListSize`, or its `listSize` (packages/pothos-plugins), say how many.
 */
export function costOfOperation({ schema, document }: ValidOperation): Amount {
  const { operations, fragments } = definitionsOf(document);
  const [operation, another] = operations;
  const known = new Map<string, Amount>();
  const rootCosts = new Map<Type, number>([
    [schema.getQueryType(), COST.query],
    [schema.getMutationType(), COST.mutation],
  ]);

  function costOfFragment(name: string): Amount {
    const fragment = fragments.get(name);
    const type = schema.getType(fragment?.typeCondition.name.value ?? '');
    return computedOnce(costOfSelections(fragment?.selectionSet, type));
  }

  function costOfSelections(selectionSet: SelectionSetNode | undefined, type: Type): Amount {
    return sumOf((selectionSet?.selections ?? []).map((selection) => costOf(selection, type)));
  }

  function costOf(selection: SelectionNode, type: Type): Amount {
    if (selection.kind === Kind.FIELD) {
      return costOfField(selection, type);
    }
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return known.getOrInsertComputed(selection.name.value, costOfFragment);
    }
    const condition = selection.typeCondition?.name.value;
    const narrowed = condition === undefined ? type : schema.getType(condition);
    return costOfSelections(selection.selectionSet, narrowed);
  }

  function costOfField(node: FieldNode, parent: Type): Amount {
    const name = node.name.value;
    const field =
      isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (field === undefined) {
      return name === '__typename' ? COST.field : COST.introspection;
    }
    const below = costOfSelections(node.selectionSet, getNamedType(field.type));
    const limit = listLimit(field, node, operation);
    return sumOf([rootCosts.get(parent) ?? COST.field, productOf(limit, below)]);
  }

  return operation === undefined || another !== undefined
    ? 0
    : costOfSelections(operation.selectionSet, schema.getRootType(operation.operation));
}
