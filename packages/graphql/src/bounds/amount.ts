export type Variables = Readonly<Record<string, unknown>>;

/** A number that is known at once, or from an operation's variables. */
export type Amount = number | ((variables: Variables) => number);

export function amountWith(amount: Amount, variables: Variables): number {
  return typeof amount === 'number' ? amount : amount(variables);
}

export function sumOf(amounts: readonly Amount[]): Amount {
  let known = 0;
  const unknown = amounts.filter((amount) => {
    known += typeof amount === 'number' ? amount : 0;
    return typeof amount === 'function';
  });
  return unknown.length === 0
    ? known
    : (variables) => unknown.reduce((sum, amount) => sum + amount(variables), known);
}

export function productOf(one: Amount, other: Amount): Amount {
  return typeof one === 'number' && typeof other === 'number'
    ? one * other
    : (variables) => amountWith(one, variables) * amountWith(other, variables);
}

/** The same, computed once for a request: what is used twice may use others twice, and so on. */
export function computedOnce(amount: Amount): Amount {
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
