import type { MethodName } from '../methods.ts';
import { keyOf } from '../model.ts';
import { membersOf } from './arguments.ts';
import { callEngine, callMethod } from '../engine.ts';
import { LazyPromise } from '../lazy-result.ts';
import { Call } from './call.ts';
import { ruledModels, type Model } from './models.ts';
import { READS, type Operation } from './reads.ts';
import type { DataModels, RowRules } from './rule.ts';
import { sightOf, type Refusals, type Sight } from './sight.ts';
import { WRITES, WRITES_ONCE } from './writes.ts';

/** The rules of a data model, and the errors of writes that they refuse. */
interface VisibleRowsOptions<Context> {
  readonly models: DataModels;
  readonly rules: RowRules<Context>;
  readonly refusals: Refusals;
  /** Called whenever the answer to a call depends on what the caller sees of a model. */
  readonly onRuledCall?: (model: string) => void;
}

/**
 * Makes clients of a Prisma client, each of which reads and writes only the rows that its caller sees, whatever it is asked
 * for. Their types, arguments, results and errors are Prisma's own: a hidden row is one that isn't there.
 *
 * @returns makes the client of a caller, from what the rules are given
 */
export function visibleRows<Client extends object, Context>(
  client: Client,
  {
    models: dataModels,
    rules,
    refusals,
    onRuledCall = () => undefined,
  }: VisibleRowsOptions<Context>,
): (context: Context) => Client {
  const models = ruledModels(dataModels, rules);
  const methods = new Map(
    Object.keys(dataModels).map((name) => {
      const key = keyOf(name);
      return [key, delegateMethods(Reflect.get(client, key), key, models.get(name))];
    }),
  );
  return (context) => {
    const answerOf = (model: string): unknown => rules[model]?.where(context);
    return visibleClient(client, methods, sightOf(models, answerOf, refusals, onRuledCall));
  };
}

/** The methods of models, by what the client calls these. */
type Methods = ReadonlyMap<string, object>;

function visibleClient<Client extends object>(
  client: Client,
  methods: Methods,
  sight: Sight,
): Client {
  const delegates = new Map<string, object>();
  return new Proxy(client, {
    get: (target, name): unknown => {
      // A promise would be looked for `then`, and a log for symbols.
      if (typeof name === 'symbol' || name === 'then') {
        return undefined;
      }
      const known = delegates.get(name);
      if (known !== undefined) {
        return known;
      }
      const ofModel = methods.get(name);
      if (ofModel !== undefined) {
        const delegate = { __proto__: ofModel, client: target, sight };
        delegates.set(name, delegate);
        return delegate;
      }
      if (name === '$transaction') {
        return (work: unknown, options?: unknown) =>
          transaction(target, work, options, (own) => visibleClient(own, methods, sight));
      }
      throw new TypeError(
        `${name} would go past the rules of which rows are visible: use the client that sees all`,
      );
    },
  });
}

/** The result of a call, unless a transaction runs it. */
class LazyCall extends LazyPromise {
  readonly #runBy: (client: object) => Promise<unknown>;

  constructor(client: object, runBy: (client: object) => Promise<unknown>) {
    super(() => runBy(client));
    this.#runBy = runBy;
  }

  /** Runs it by the client of a transaction. */
  in(client: object): Promise<unknown> {
    return this.#runBy(client);
  }
}

function transaction(
  client: object,
  work: unknown,
  options: unknown,
  visible: (transaction: object) => object,
): unknown {
  const run = (body: (transaction: object) => Promise<unknown>) =>
    callMethod(client, '$transaction', options === undefined ? [body] : [body, options]);
  if (typeof work === 'function') {
    return run(async (own) => {
      const result: unknown = await Reflect.apply(work, undefined, [visible(own)]);
      return result;
    });
  }
  if (!Array.isArray(work) || !work.every((each) => each instanceof LazyCall)) {
    throw new TypeError('a transaction has to be given calls of the client that it is of');
  }
  return run(async (own) => {
    const results: unknown[] = [];
    for (const call of work) {
      results.push(await call.in(own));
    }
    return results;
  });
}

const OPERATIONS: Readonly<Record<MethodName, Operation>> = { ...READS, ...WRITES, ...WRITES_ONCE };

/** A model of a caller's client. */
interface Delegate {
  readonly client: object;
  readonly sight: Sight;
}

/** The prototype of a model's delegates, of all callers: those of its methods that are known to be of visible rows only. */
function delegateMethods(own: unknown, key: string, model: Model | undefined): object {
  const methods: Record<string, unknown> = {};
  if (own instanceof Object) {
    methods['fields'] = Reflect.get(own, 'fields');
    for (const [operation, visible] of Object.entries(OPERATIONS)) {
      if (operation in own) {
        methods[operation] = function visibly(this: Delegate, args: unknown): LazyCall {
          const { client, sight } = this;
          return new LazyCall(client, async (by) =>
            model === undefined
              ? // It leads to no hidden row.
                await callEngine(by, key, operation, args)
              : await visible(new Call(by, model, sight), membersOf(args, 'the arguments')),
          );
        };
      }
    }
  }
  return Object.freeze(methods);
}
