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

/** What selections cost for each item of the list that they are below, and what for the list as a whole. */
interface Cost {
  readonly each: Amount;
  readonly once: Amount;
}

/**
 * The cost of the one operation of a valid document, before its variables are known. A field costs what `COST` says, also
 * one that a directive leaves out or that is selected twice; what is below a list counts as often as the list may have items:
 * its arguments with `defaultListSize`, or its `listSize` (extensions/extensions.ts), say how many. A field with a `cost` of its
 * own is of the list as a whole.
 */
export function costOfOperation({ schema, document }: ValidOperation): Amount {
  const { operations, fragments } = definitionsOf(document);
  const [operation, another] = operations;
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

  if (operation === undefined || another !== undefined) {
    return 0;
  }
  const { selectionSet, operation: kind } = operation;
  const { each, once } = costOfSelections(selectionSet, schema.getRootType(kind));
  return sumOf([each, once]);
}
