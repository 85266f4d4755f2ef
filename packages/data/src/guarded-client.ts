/**
 * The rules that a call passes, in this order: the write of a key asks for what its caller sees, and what is asked for in the end
 * is noted. Statements (batched-models.ts) and the bounds of Prisma's engine are below, as extensions of Prisma's own client.
 */
const ORDER = ['once', 'visible', 'audited'] as const;

/** A method of a model. */
interface ModelMethod {
  readonly client: object;
  /** What the client calls the model, and the model as it is below the rule. */
  readonly key: string;
  readonly delegate: object;
  readonly name: string;
}

/** What stands between a client and whoever calls it. */
export interface Rule {
  readonly name: (typeof ORDER)[number];
  /**
   * What takes the place of a method; undefined for one that stays as it is.
   *
   * @throws TypeError for one that the rule can't cover
   */
  readonly methodOf: (method: ModelMethod) => ((args: unknown) => unknown) | undefined;
  /** What takes the place of a member of the client that isn't a model. @throws likewise */
  readonly memberOf: (client: object, name: string) => unknown;
}

/** What clients are made of. */
const guards = new WeakMap<object, { readonly base: object; readonly rules: readonly Rule[] }>();

/**
 * The client whose calls pass one more rule, at its place among those that they pass already.
 *
 * @param client extended by `batchedModels`, or made by this
 */
export function withRule<Client extends object>(client: Client, rule: Rule): Client {
  const { base, rules } = guards.get(client) ?? { base: client, rules: [] };
  const ordered = [...rules, rule].toSorted((a, b) => place(a) - place(b));
  let below = base;
  for (const each of ordered.slice(1).toReversed()) {
    below = guarded(below, each, below);
  }
  const result = guarded(client, ordered[0] ?? rule, below);
  guards.set(result, { base, rules: ordered });
  return result;
}

/** The client of a transaction, which has the rules below this one already. */
export function ofTransaction(rule: Rule, transaction: object): object {
  return guarded(transaction, rule, transaction);
}

function place({ name }: Rule): number {
  return ORDER.indexOf(name);
}

/** What looks like a client, and passes calls by a rule to the one below. */
function guarded<Client extends object>(client: Client, rule: Rule, below: object): Client {
  const models = new Map<string, object>();
  return new Proxy(client, {
    get: (_client, name): unknown => {
      // A promise would be looked for `then`, and a log for symbols.
      if (typeof name === 'symbol' || name === 'then') {
        return undefined;
      }
      const known = models.get(name);
      if (known !== undefined) {
        return known;
      }
      // Members that aren't models begin with $ or _.
      const value: unknown = /^[$_]/.test(name) ? undefined : Reflect.get(below, name);
      if (typeof value !== 'object' || value === null) {
        return rule.memberOf(below, name);
      }
      const model = new Proxy(value, {
        get: (delegate, method) =>
          methodOf(rule, { client: below, key: name, delegate, name: method }),
      });
      models.set(name, model);
      return model;
    },
  });
}

function methodOf(
  rule: Rule,
  { name, delegate, ...of }: Omit<ModelMethod, 'name'> & { readonly name: string | symbol },
): unknown {
  const own: unknown = typeof name === 'symbol' ? undefined : Reflect.get(delegate, name);
  if (typeof name === 'symbol' || typeof own !== 'function') {
    // Another member may lead to the client without the rule.
    return name === 'fields' ? own : undefined;
  }
  return rule.methodOf({ ...of, delegate, name }) ?? own.bind(delegate);
}
