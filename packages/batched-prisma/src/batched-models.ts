import { hasOnly, membersOf, onlyMember, type Arguments } from './arguments.ts';
import { refuseBypassed } from './bypassed.ts';
import { callEngine } from './call-engine.ts';
import { createOnceMethod } from './create-once-method.ts';
import { fluentResult, LazyResult, LeftToEngine } from './lazy-result.ts';
import { isRow, project } from './load.ts';
import type { Models } from './model.ts';
import { pageOf } from './page-arguments.ts';
import { projectionOf } from './projection.ts';
import { writeAndSelect } from './written-rows.ts';
import { createTable, type Table } from './table.ts';
import type { TableOptions } from './table-options.ts';

/** What answers a call; undefined if it is to be left to Prisma's engine. */
type Recognise = (args: Arguments) => (() => Promise<unknown>) | undefined;

/** A model of an extended client, from within its methods. */
interface ModelContext {
  /** The client that has been extended; in an interactive transaction, that client's transaction. */
  readonly $parent: object;
}

type Method = (this: ModelContext, args: unknown) => unknown;

const READ_ONE = new Set(['where', 'select', 'include']);
const READ_MANY = new Set(['where', 'orderBy', 'take', 'select', 'include']);
const CREATE = new Set(['data', 'select']);

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
  const tables = new Map(
    Object.values(models).map((model) => [model.name, createTable(model, options)]),
  );
  const names = [...tables.keys()].map((name) => [keyOf(name), name] as const);
  const check = (client: object): void => {
    names.forEach((each) => refuseBypassed(client, each));
  };
  check(base);
  const methods = Object.fromEntries(
    [...tables].map(([name, table]) => {
      const key = keyOf(name);
      const OneRow = fluentResult(table.model.relations.map(({ field }) => field));
      const method = (operation: string, recognise: Recognise, Result: typeof LazyResult) => {
        const onAnswer = () => options.onAnswer?.(name, operation);
        return function (this: ModelContext, args: unknown): unknown {
          const { $parent } = this;
          const byEngine = () => callEngine($parent, [key, operation], args);
          const members = $parent === base ? membersOf(args) : undefined;
          const byStatement = members && recognise(members);
          return byStatement === undefined
            ? byEngine()
            : new Result({ byStatement, byEngine, onAnswer, isFault: options.isFault });
        };
      };
      const write = (operation: string, otherwise?: Method) =>
        function (this: ModelContext, args: unknown): unknown {
          const { $parent } = this;
          const byEngine = (given: unknown = args) => callEngine($parent, [key, operation], given);
          const members = $parent === base ? membersOf(args) : undefined;
          const byStatement = members && writeAndSelect(members, table, tables, byEngine);
          if (byStatement === undefined) {
            return otherwise === undefined ? byEngine() : otherwise.call(this, args);
          }
          return new OneRow({ byStatement, byEngine, onAnswer: () => {}, isFault: () => false });
        };
      const findOne = recogniseFindUnique(table, tables);
      return [
        key,
        {
          findUnique: method('findUnique', findOne, OneRow),
          findUniqueOrThrow: method('findUniqueOrThrow', orLeave(findOne), OneRow),
          findMany: method('findMany', recogniseFindMany(table, tables), LazyResult),
          create: write('create', method('create', recogniseCreate(table, tables), OneRow)),
          update: write('update'),
          upsert: write('upsert'),
          createOnce: createOnceMethod(
            table,
            tables,
            {
              findUnique: (args) => callEngine(base, [key, 'findUnique'], args),
              refuse: async (fault, args) => {
                if (options.isFault(fault)) {
                  await rolledBack(base, (client) => callEngine(client, [key, 'create'], args));
                }
              },
            },
            () => options.onAnswer?.(name, 'createOnce'),
          ),
        },
      ];
    }),
  );
  const extend: unknown = Reflect.get(base, '$extends');
  return {
    model: methods,
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

type Tables = ReadonlyMap<string, Table>;

function recogniseFindUnique(table: Table, tables: Tables): Recognise {
  const { model, findByIds, encodeId } = table;
  return (args) => {
    const id = encodeId(onlyMember(args['where'], model.id));
    const projection = hasOnly(args, READ_ONE) ? projectionOf(args, model, tables) : undefined;
    if (id == null || projection === undefined) {
      return undefined;
    }
    return async () => {
      const rows = await findByIds([id]);
      const [row = null] = await project(rows.filter(isRow), projection, table);
      return row;
    };
  };
}

/** The engine has the error for a row that isn't there. */
function orLeave(recognise: Recognise): Recognise {
  return (args) => {
    const answer = recognise(args);
    return (
      answer &&
      (async () => {
        const row = await answer();
        if (row === null) {
          throw new LeftToEngine();
        }
        return row;
      })
    );
  };
}

function recogniseFindMany(table: Table, tables: Tables): Recognise {
  return (args) => {
    const page = hasOnly(args, READ_MANY) ? pageOf(args, table) : undefined;
    const projection = page && projectionOf(args, table.model, tables);
    if (page === undefined || projection === undefined) {
      return undefined;
    }
    return async () => {
      const [rows = []] = await table.findPages([page]);
      return project(rows, projection, table);
    };
  };
}

function recogniseCreate(table: Table, tables: Tables): Recognise {
  return (args) => {
    const row = table.encodeRow(args['data']);
    const projection = hasOnly(args, CREATE) ? projectionOf(args, table.model, tables) : undefined;
    if (typeof row === 'string' || projection === undefined || projection.relations.length > 0) {
      return undefined;
    }
    return async () => {
      const [created] = await project([await table.create(row)], projection, table);
      return created;
    };
  };
}

/** Does something in a transaction that comes to nothing. @throws what that throws */
async function rolledBack(
  base: object,
  call: (client: object) => PromiseLike<unknown>,
): Promise<void> {
  const transaction: unknown = Reflect.get(base, '$transaction');
  if (typeof transaction !== 'function') {
    throw new TypeError('the client has no $transaction');
  }
  const end = new Error('rolled back');
  const body = async (client: object) => {
    await call(client);
    throw end;
  };
  try {
    await Reflect.apply(transaction, base, [body]);
  } catch (error) {
    if (error !== end) {
      throw error;
    }
  }
}
