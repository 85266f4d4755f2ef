/**
 * The rules of a client, in the order in which a call passes through them. A write under an idempotency key is first
 * deduplicated, then restricted to rows that its caller may see, and finally recorded in the audit log. Below the rules are
 * statements (batched-models.ts) and the limits of Prisma's engine, as extensions of Prisma's own client.
 */
const ORDER = ['once', 'visible', 'audited'] as const;

/** A method of a model. */
interface ModelMethod {
  readonly client: object;
  /** The model's name in the client, and the model as the layers below this rule provide it. */
  readonly key: string;
  readonly delegate: object;
  readonly name: string;
}

/** A rule that intercepts a client's calls. */
export interface Rule {
  readonly name: (typeof ORDER)[number];
  /**
   * Returns the replacement for a method; undefined to leave the method unchanged.
   *
   * @throws TypeError for a method that the rule can't cover
   */
  readonly methodOf: (method: ModelMethod) => ((args: unknown) => unknown) | undefined;
  /**
   * Returns the replacement for a member that isn't a model.
   *
   * @throws TypeError for a member that the rule can't cover
   */
  readonly memberOf: (client: object, name: string) => unknown;
}

/** The base client and the rules of each guarded client. */
const guards = new WeakMap<object, { readonly base: object; readonly rules: readonly Rule[] }>();

/**
 * Adds a rule to a client, at the rule's position among the client's existing rules.
 *
 * @param client a client extended by `batchedModels`, or returned by this function
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

/** Adds a rule to the client of a transaction, which already has the rules below this one. */
export function ofTransaction(rule: Rule, transaction: object): object {
  return guarded(transaction, rule, transaction);
}

function place({ name }: Rule): number {
  return ORDER.indexOf(name);
}

/** Returns a proxy that applies a rule to a client's calls. */
function guarded<Client extends object>(client: Client, rule: Rule, below: object): Client {
  const models = new Map<string, object>();
  return new Proxy(client, {
    get: (_client, name): unknown => {
      // `await` looks up `then`, and logging looks up symbols.
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
    // Any other member may expose the client without the rule.
    return name === 'fields' ? own : undefined;
  }
  return rule.methodOf({ ...of, delegate, name }) ?? own.bind(delegate);
}
