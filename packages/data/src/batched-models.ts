import { change, create, findMany, findUnique, selectAfterwards, type Answer } from './answers.ts';
import { membersOf, type Arguments } from './arguments.ts';
import type { AuditedChange, AuditEntry } from './audit.ts';
import { auditedByEngine } from './audited-by-engine.ts';
import { refuseBypassed } from './bypassed.ts';
import { callEngine } from './engine.ts';
import { fluentResult, LazyResult, LazyRows } from './lazy-result.ts';
import { LeftToEngine } from './left-to-engine.ts';
import { findOrdered } from './find-ordered.ts';
import { findSome } from './find-some.ts';
import { keyOf, type Models } from './model.ts';
import { onceMethods } from './once-methods.ts';
import { batcherFactory } from '@store-gateway/ops';
import { requestError } from './prisma-internals.ts';
import type { TableOptions } from './statement.ts';
import { createTable, type Table } from './table.ts';

type ByEngine = (args?: Arguments) => unknown;

/** What answers a call; undefined if Prisma's engine should. */
type Recognise = (args: Arguments, byEngine: ByEngine, audit?: AuditEntry) => Answer | undefined;

/** A model of an extended client, from within its methods. */
interface ModelContext {
  /** The client that has been extended; in an interactive transaction, that client's transaction. */
  readonly $parent: object;
}

/** `read` and `write` run statements: on a pool by `runOn`, or otherwise. */
export type BatchedModelsOptions = Pick<TableOptions, 'read' | 'write'> & Partial<TableOptions>;

/** SQLSTATEs of a batch that one of its requests has spoilt: bad data, a constraint, a limit, or a trigger's objection. */
const FAULTS_OF_VALUES = /^(?:22|23|54|P0|[I-OQ-WYZ][0-9A-Z])[0-9A-Z]{3}$/;

function isFaultOfValues(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FAULTS_OF_VALUES.test(String(error.code));
}

/** Those that a statement makes. */
const WRITES = new Set(['create', 'update', 'delete']);

function noTransaction(): never {
  throw new TypeError('writes of a sharded database need the option `transaction`');
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
  given: BatchedModelsOptions,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- so that Prisma's types stay as they are
): Record<never, never> {
  const options = {
    createBatcher: batcherFactory(),
    isFault: isFaultOfValues,
    transaction: noTransaction,
    ...given,
  };
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

/** Arguments of Prisma's methods, and what is noted of the row. */
interface AuditedArguments extends Arguments {
  readonly audit: AuditEntry;
}

/** The elements of `$transaction([…])` are single calls of the engine. */
function refuseInList(): never {
  throw new TypeError(
    'a write that is audited needs an interactive transaction: $transaction(async (transaction) => …)',
  );
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

  /** A write that is noted in the audit log. */
  function auditedMethod(operation: AuditedChange, recognise: Recognise) {
    return function (this: ModelContext, given: AuditedArguments): unknown {
      const { $parent } = this;
      const { audit, ...args } = given;
      const isOfTransaction = $parent !== base;
      const byEngine = (others: Arguments = args) =>
        auditedByEngine(
          $parent,
          { key, model: table.model, operation, args: others, audit },
          isOfTransaction,
        );
      const answer = isOfTransaction ? undefined : recognise(args, byEngine, audit);
      return new LazyResult(answer ?? byEngine, refuseInList);
    };
  }

  /**
   * What a statement answers. A read that the database finds fault with is left to the engine; of a write, which may have
   * effects, the fault becomes Prisma's error.
   */
  function byStatement(
    operation: string,
    answerOf: (args: Arguments, audit?: AuditEntry) => Answer | undefined,
  ): Recognise {
    return (args, byEngine, audit) => {
      const answer = answerOf(args, audit);
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
            const isLeft = error instanceof LeftToEngine;
            if (!isLeft && !isFault(error)) {
              throw error;
            }
            if (!isLeft && WRITES.has(operation)) {
              throw requestError(error, name) ?? error;
            }
          }
          return byEngine();
        })
      );
    };
  }

  const afterwards =
    (operation: Parameters<typeof selectAfterwards>[0]): Recognise =>
    (args, byEngine) =>
      selectAfterwards(operation, args, table, byEngine);
  /** By the engine, and what it can't select by statements, where a statement doesn't answer a call. */
  const orByEngine = (
    byStatements: Recognise,
    operation: Parameters<typeof selectAfterwards>[0],
  ): Recognise => {
    const select = afterwards(operation);
    return (args, byEngine, audit) =>
      byStatements(
        args,
        (given) =>
          given === undefined ? (select(args, byEngine)?.() ?? byEngine()) : byEngine(given),
        audit,
      ) ?? select(args, byEngine);
  };
  const read = (
    operation: string,
    answerOf: (args: Arguments) => Answer | undefined,
    shape: 'findUnique' | 'findMany',
    Result = OneRow,
  ) => method(operation, orByEngine(byStatement(operation, answerOf), shape), Result);
  const byChange = (operation: 'update' | 'delete'): Recognise =>
    orByEngine(
      (args, byEngine, audit) =>
        byStatement(operation, () => change(operation, args, table, byEngine, audit))(
          args,
          byEngine,
        ),
      operation,
    );
  const byCreate = byStatement('create', (args, audit) => create(args, table, audit));
  const byCreateOrEngine: Recognise = (args, byEngine, audit) =>
    afterwards('create')(args, byEngine) ?? byCreate(args, byEngine, audit);
  const byUpdate = byChange('update');
  const byDelete = byChange('delete');

  return {
    findUnique: read('findUnique', (args) => findUnique(args, table, null), 'findUnique'),
    // The engine has the error for a row that isn't there.
    findUniqueOrThrow: read(
      'findUniqueOrThrow',
      (args) => findUnique(args, table, undefined),
      'findUnique',
    ),
    findFirst: method('findFirst', afterwards('findFirst')),
    findFirstOrThrow: method('findFirstOrThrow', afterwards('findFirst')),
    findMany: read(
      'findMany',
      (args) => findMany(args, table) ?? findSome(args, table) ?? findOrdered(args, table),
      'findMany',
      LazyRows,
    ),
    create: method('create', byCreateOrEngine),
    update: method('update', byUpdate),
    delete: method('delete', byDelete),
    upsert: method('upsert', afterwards('upsert')),
    createAudited: auditedMethod('create', byCreateOrEngine),
    updateAudited: auditedMethod('update', byUpdate),
    deleteAudited: auditedMethod('delete', byDelete),
    ...onceMethods(base, key, table, {
      isFault,
      onAnswer: (operation) => onAnswer?.(name, operation),
    }),
  };
}
