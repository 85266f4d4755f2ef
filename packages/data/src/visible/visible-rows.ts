import type { MethodName } from '../methods.ts';
import { keyOf } from '../model.ts';
import { membersOf } from './arguments.ts';
import { callMethod } from '../engine.ts';
import { Call } from './call.ts';
import { LazyCall } from './lazy-call.ts';
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
  const delegates = new Map(
    Object.keys(dataModels).map((name) => {
      const key = keyOf(name);
      return [key, delegateOf(Reflect.get(client, key), key, models.get(name))];
    }),
  );
  return (context) => {
    const answerOf = (model: string): unknown => rules[model]?.where(context);
    return visibleClient(client, delegates, sightOf(models, answerOf, refusals, onRuledCall));
  };
}

/** The methods of models, by what the client calls these. */
type Delegates = ReadonlyMap<string, typeof Delegate>;

function visibleClient<Client extends object>(
  client: Client,
  delegates: Delegates,
  sight: Sight,
): Client {
  const ofClient = new Map<string, object>();
  return new Proxy(client, {
    get: (target, name): unknown => {
      // A promise would be looked for `then`, and a log for symbols.
      if (typeof name === 'symbol' || name === 'then') {
        return undefined;
      }
      const delegate = ofClient.get(name);
      if (delegate !== undefined) {
        return delegate;
      }
      const DelegateOfModel = delegates.get(name);
      if (DelegateOfModel !== undefined) {
        const made = new DelegateOfModel(target, sight);
        ofClient.set(name, made);
        return made;
      }
      if (name === '$transaction') {
        return (work: unknown, options?: unknown) =>
          transaction(target, work, options, (own) => visibleClient(own, delegates, sight));
      }
      throw new TypeError(
        `${name} would go past the rules of which rows are visible: use the client that sees all`,
      );
    },
  });
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

/** A model of a client. */
class Delegate {
  readonly client: object;
  readonly sight: Sight;

  constructor(client: object, sight: Sight) {
    this.client = client;
    this.sight = sight;
  }
}

/** With those methods of a model that are known to be of visible rows only. */
function delegateOf(own: unknown, key: string, model: Model | undefined): typeof Delegate {
  class DelegateOfModel extends Delegate {}
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(DelegateOfModel.prototype, name, { value });
  };
  define('fields', own instanceof Object ? Reflect.get(own, 'fields') : undefined);
  for (const [operation, visible] of Object.entries(OPERATIONS)) {
    if (own instanceof Object && operation in own) {
      define(operation, function visibly(this: Delegate, args: unknown): LazyCall {
        const { client, sight } = this;
        return new LazyCall(client, async (by) =>
          model === undefined
            ? // It leads to no hidden row.
              await callMethod(Reflect.get(by, key), operation, [args])
            : await visible(new Call(by, model, sight), membersOf(args, 'the arguments')),
        );
      });
    }
  }
  return DelegateOfModel;
}
