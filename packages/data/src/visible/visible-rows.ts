import type { MethodName } from '../methods.ts';
import { keyOf } from '../model.ts';
import { membersOf } from './arguments.ts';
import { callEngine, callMethod } from '../engine.ts';
import { ofTransaction, withRule, type Rule } from '../guarded-client.ts';
import { LazyPromise } from '../lazy-result.ts';
import { Call, type Operation, READS, WRITES, WRITES_ONCE } from './calls.ts';
import { type DataModels, type Refusals, type RowRules, ruledModels, sightOf } from './rules.ts';

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
  const names = new Map(Object.keys(dataModels).map((name) => [keyOf(name), name]));
  return (context) => {
    const answerOf = (model: string): unknown => rules[model]?.where(context);
    const sight = sightOf(models, answerOf, refusals, onRuledCall);
    const rule: Rule = {
      name: 'visible',
      methodOf: ({ client: below, key, name }) => {
        const model = models.get(names.get(key) ?? '');
        const visible = OPERATIONS.get(name);
        if (visible === undefined || !names.has(key)) {
          throw goesPast(`${key}.${name}`);
        }
        return (args) =>
          new LazyCall(below, async (by) =>
            model === undefined
              ? // It leads to no hidden row.
                await callEngine(by, key, name, args)
              : await visible(new Call(by, model, sight), membersOf(args, 'the arguments')),
          );
      },
      memberOf: (below, name) => {
        if (name !== '$transaction') {
          throw goesPast(name);
        }
        return (work: unknown, options?: unknown) =>
          transaction(below, work, options, (own) => ofTransaction(rule, own));
      },
    };
    return withRule(client, rule);
  };
}

function goesPast(name: string): TypeError {
  return new TypeError(
    `${name} would bypass the rules for visible rows: use the client that sees all rows`,
  );
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
    throw new TypeError('a transaction only accepts calls of the client that it belongs to');
  }
  return run(async (own) => {
    const results: unknown[] = [];
    for (const call of work) {
      results.push(await call.in(own));
    }
    return results;
  });
}

const EACH: Readonly<Record<MethodName, Operation>> = { ...READS, ...WRITES, ...WRITES_ONCE };

const OPERATIONS: ReadonlyMap<string, Operation> = new Map(Object.entries(EACH));
