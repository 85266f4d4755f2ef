import { change, create, findMany, findUnique, writeAndSelect, type Answer } from './answers.ts';
import { membersOf, type Arguments } from './arguments.ts';
import { refuseBypassed } from './bypassed.ts';
import { callEngine } from './engine.ts';
import { fluentResult, LazyResult } from './lazy-result.ts';
import { LeftToEngine } from './left-to-engine.ts';
import { findOrdered } from './find-ordered.ts';
import { findSome } from './find-some.ts';
import type { Models } from './model.ts';
import { onceMethods } from './once-methods.ts';
import type { TableOptions } from './statement.ts';
import { createTable, type Table } from './table.ts';

type ByEngine = (args?: Arguments) => unknown;

/** What answers a call; undefined if Prisma's engine should. */
type Recognise = (args: Arguments, byEngine: ByEngine) => Answer | undefined;

/** A model of an extended client, from within its methods. */
interface ModelContext {
  /** The client that has been extended; in an interactive transaction, that client's transaction. */
  readonly $parent: object;
}

/**
 * An extension for `base.$extends`. Its models' methods have Prisma's arguments and meaning: what is asked most is answered
 * by prepared statements that the requests of a batch share, anything else by `base`, as is all that belongs to a
 * transaction.
 *
 * @param models as the generator has written them
 * @returns what adds nothing to Prisma's types, since the methods are its own
 * @throws TypeError if `base` has anything that statements would go past; so does `$extends` of the extended client
 */
export function batchedModels(
  base: object,
  models: Models,
  options: TableOptions,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- so that Prisma's types stay as they are
): Record<never, never> {
  const tables = new Map<string, Table>();
  for (const model of Object.values(models)) {
    tables.set(model.name, { ...createTable(model, options), tables });
  }
  const check = (client: object): void => {
    for (const name of tables.keys()) {
      refuseBypassed(client, keyOf(name), name);
    }
  };
  check(base);
  const extend: unknown = Reflect.get(base, '$extends');
  return {
    model: Object.fromEntries(
      [...tables.values()].map((table) => [
        keyOf(table.model.name),
        methodsOf(base, table, options),
      ]),
    ),
    client: {
      $extends(this: object, extension: unknown): unknown {
        const extended: unknown =
          typeof extend === 'function' ? Reflect.apply(extend, this, [extension]) : undefined;
        if (extended instanceof Object) {
          check(extended);
        }
        return extended;
      },
    },
  };
}

/** What Prisma's client calls a model. */
function keyOf(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

function methodsOf(base: object, table: Table, { isFault, onAnswer }: TableOptions) {
  const { name, relations } = table.model;
  const key = keyOf(name);
  const OneRow = fluentResult(relations.map(({ field }) => field));

  function method(operation: string, recognise: Recognise, Result = OneRow) {
    return function (this: ModelContext, args: unknown): unknown {
      const { $parent } = this;
      const byEngine = (given: unknown = args) => callEngine($parent, key, operation, given);
      const members = $parent === base ? membersOf(args) : undefined;
      const answer = members && recognise(members, byEngine);
      return answer === undefined ? byEngine() : new Result(answer, byEngine);
    };
  }

  /** What a statement answers, unless the database finds fault with a batch: then the engine answers each of its calls. */
  function byStatement(operation: string, answerOf: (args: Arguments) => Answer | undefined) {
    return (args: Arguments, byEngine: ByEngine): Answer | undefined => {
      const answer = answerOf(args);
      return (
        answer &&
        (async () => {
          try {
            const result = await answer();
            if (result !== undefined) {
              onAnswer?.(name, operation);
              return result;
            }
          } catch (error) {
            if (!isFault(error) && !(error instanceof LeftToEngine)) {
              throw error;
            }
          }
          return byEngine();
        })
      );
    };
  }

  const read = (
    operation: string,
    answerOf: (args: Arguments) => Answer | undefined,
    Result = OneRow,
  ) => method(operation, byStatement(operation, answerOf), Result);
  const byWrite: Recognise = (args, byEngine) => writeAndSelect(args, table, byEngine);
  const byChange = (operation: 'update' | 'delete'): Recognise => {
    return (args, byEngine) =>
      byStatement(operation, () => change(operation, args, table, byEngine))(args, (given) =>
        given === undefined ? (byWrite(args, byEngine)?.() ?? byEngine()) : byEngine(given),
      );
  };
  const byCreate = byStatement('create', (args) => create(args, table));

  const byUpdate = byChange('update');

  return {
    findUnique: read('findUnique', (args) => findUnique(args, table, null)),
    // The engine has the error for a row that isn't there.
    findUniqueOrThrow: read('findUniqueOrThrow', (args) => findUnique(args, table, undefined)),
    findMany: read(
      'findMany',
      (args) => findMany(args, table) ?? findSome(args, table) ?? findOrdered(args, table),
      LazyResult,
    ),
    create: method(
      'create',
      (args, byEngine) => byWrite(args, byEngine) ?? byCreate(args, byEngine),
    ),
    update: method(
      'update',
      (args, byEngine) => byUpdate(args, byEngine) ?? byWrite(args, byEngine),
    ),
    delete: method('delete', byChange('delete')),
    upsert: method('upsert', byWrite),
    ...onceMethods(base, key, table, {
      isFault,
      onAnswer: (operation) => onAnswer?.(name, operation),
    }),
  };
}
