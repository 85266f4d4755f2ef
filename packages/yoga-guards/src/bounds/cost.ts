export type Variables = Readonly<Record<string, unknown>>;

/** A number that is known when an operation is executed: the value of an argument `limit`. */
export type Limit = (variables: Variables) => number;

/**
 * What a part of an operation costs: `fixed`, and `below` as often as its limit says. What limits don't
 * bear on is added up beforehand; where a fragment is used twice, both uses share one `below`.
 */
export interface Cost {
  readonly fixed: number;
  readonly parts: readonly { readonly limit: Limit; readonly below: Cost }[];
}

export function fixedCost(fixed: number): Cost {
  return { fixed, parts: [] };
}

export function sumOfCosts(costs: readonly Cost[]): Cost {
  return {
    fixed: costs.reduce((sum, { fixed }) => sum + fixed, 0),
    parts: costs.flatMap(({ parts }) => parts),
  };
}

/** The cost of something `limit` times. */
export function timesLimit(limit: number | Limit, below: Cost): Cost {
  if (typeof limit === 'number' && below.parts.length === 0) {
    return fixedCost(limit * below.fixed);
  }
  return {
    fixed: 0,
    parts: [{ limit: typeof limit === 'number' ? () => limit : limit, below }],
  };
}

/** A cost, with the variables of a request. Each part is computed once, however often it is shared. */
export function evaluateCost(
  cost: Cost,
  variables: Variables,
  known = new Map<Cost, number>(),
): number {
  if (cost.parts.length === 0) {
    return cost.fixed;
  }
  let total = known.get(cost);
  if (total === undefined) {
    total = cost.fixed;
    for (const { limit, below } of cost.parts) {
      total += limit(variables) * evaluateCost(below, variables, known);
    }
    known.set(cost, total);
  }
  return total;
}
