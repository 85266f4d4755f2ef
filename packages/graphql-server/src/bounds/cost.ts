export type Variables = Readonly<Record<string, unknown>>;

/** How many items a list may have, known at once or from an operation's variables. */
export type Limit = number | ((variables: Variables) => number);

/**
 * The cost of a part of an operation: a sum of what is known beforehand, and of costs that count as often as a limit says.
 * The uses of a fragment share one cost.
 */
export interface Cost {
  fixed: number;
  readonly parts: { readonly limit: Limit; readonly below: Cost }[];
}

export function noCost(): Cost {
  return { fixed: 0, parts: [] };
}

/** Adds what is below a limit to a cost. */
export function addCost(cost: Cost, limit: Limit, below: Cost): void {
  if (typeof limit === 'number' && below.parts.length === 0) {
    cost.fixed += limit * below.fixed;
  } else {
    cost.parts.push({ limit, below });
  }
}

/** The cost with a request's variables. Shared costs are computed once. */
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
      const times = typeof limit === 'number' ? limit : limit(variables);
      total += times * evaluateCost(below, variables, known);
    }
    known.set(cost, total);
  }
  return total;
}
