import { batcherFactory } from '@store-gateway/ops';
import {
  type CallHandler,
  findMany,
  findUnique,
  findUniqueOrThrow,
  type Operation,
  selectAfterwards,
  write,
} from './call-handlers.ts';
import { auditedByEngine, type AuditEntry } from './audit.ts';
import { type Arguments, membersOf } from './calls.ts';
import { rejectBypassedExtensions } from './engine.ts';
import { NeedsEngineError } from './find-pages.ts';
import { fluentResult, LazyResult, LazyRows } from './lazy-result.ts';
import { keyOf, type Models, type WriteOperation } from './model.ts';
import { idempotentMethods } from './once.ts';
import { callEngine, isMissingRow, writeError } from './prisma-internals.ts';
import type { Table } from './projection.ts';
import type { TableOptions } from './statements.ts';
import { createTable } from './table.ts';

type ByEngine = (args?: Arguments) => unknown;

/** A model of an extended client: the `this` of the model's methods. */
interface ModelContext {
  /** The extended client or, in an interactive transaction, the transaction's client. */
  readonly $parent: object;
}

/** The options of `batchedModels`. For a node-postgres pool, `runOn` creates `read` and `write`. */
export type BatchedModelsOptions = Pick<TableOptions, 'read' | 'write'> & Partial<TableOptions>;

/**
 * SQLSTATEs of the errors that a single request can cause for its whole batch: bad data, a violated constraint, a limit, or a
 * trigger's exception.
 */
const VALUE_ERRORS = /^(?:22|23|54|P0|[I-OQ-WYZ][0-9A-Z])[0-9A-Z]{3}$/;

function isValueError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && VALUE_ERRORS.test(String(error.code));
}

/** The writes that batched statements support. */
const WRITES: ReadonlySet<Operation> = new Set(['create', 'update', 'delete']);

function noTransaction(): never {
  throw new TypeError('writes to a sharded database require the option `transaction`');
}

/**
 * Creates an extension for `base.$extends`. Its models' methods have Prisma's arguments and semantics. The most frequent calls
 * are handled by prepared statements that the requests of a batch share; `base` handles all others, and all calls in a
 * transaction.
 *
 * @param models the generated models
 * @returns the extension, which adds nothing to Prisma's types because the methods are Prisma's own
 * @throws TypeError if `base` has extensions or omitted columns that batched statements would bypass; the extended client's
 *   `$extends` throws it too
 */
export function batchedModels(
  base: object,
  models: Models,
  given: BatchedModelsOptions,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- so that Prisma's types stay unchanged
): Record<never, never> {
  const options = {
    createBatcher: batcherFactory(),
    isFault: isValueError,
    transaction: noTransaction,
    ...given,
  };
  const tables = new Map<string, Table>();
  for (const model of Object.values(models)) {
    tables.set(model.name, { ...createTable(model, options), tables });
  }
  const check = (client: object): void => {
    for (const name of tables.keys()) {
      rejectBypassedExtensions(client, keyOf(name), name);
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

/** The arguments of Prisma's method, and the write's audit entry. */
interface AuditedArguments extends Arguments {
  readonly audit: AuditEntry;
}

/** Rejects an audited write in `$transaction([…])`, whose elements are single calls to the engine. */
function rejectInList(): never {
  throw new TypeError(
    'an audited write needs an interactive transaction: $transaction(async (transaction) => …)',
  );
}

/** Returns the handler of a call, or undefined to fall back to Prisma's engine. */
type HandlerOf = (args: Arguments, audit?: AuditEntry) => CallHandler | undefined;

function methodsOf(base: object, table: Table, { isFault, onAnswer }: TableOptions) {
  const { name, relations } = table.model;
  const key = keyOf(name);
  const OneRow = fluentResult(relations.map(({ field }) => field));

  /**
   * Handles a call with a statement, or with the engine plus statements that read the call's relation lists. A read that the
   * database rejects falls back to the engine. A rejected write throws Prisma's error instead, since it may have had effects.
   *
   * @returns undefined if the engine handles the call alone
   */
  function handleOrSelect(
    operation: Operation,
    handler: CallHandler | undefined,
    args: Arguments,
    byEngine: ByEngine,
  ): CallHandler | undefined {
    const select = () => selectAfterwards(operation, args, table, byEngine);
    if (handler === undefined) {
      return select();
    }
    return async () => {
      try {
        const result = await handler();
        onAnswer?.(name, operation);
        return result;
      } catch (error) {
        if (isMissingRow(error)) {
          onAnswer?.(name, operation);
        }
        const mayFallBack =
          error instanceof NeedsEngineError || (isFault(error) && !WRITES.has(operation));
        if (!mayFallBack) {
          throw writeError(error, name, isFault);
        }
      }
      return select()?.() ?? byEngine();
    };
  }

  function method(operation: Operation, handlerOf: HandlerOf = () => undefined, Result = OneRow) {
    return function (this: ModelContext, args: unknown): unknown {
      const { $parent } = this;
      const byEngine = (given: unknown = args) => callEngine($parent, key, operation, given);
      const members = $parent === base ? membersOf(args) : undefined;
      const handler = members && handleOrSelect(operation, handlerOf(members), members, byEngine);
      return handler === undefined ? byEngine() : new Result(handler, byEngine);
    };
  }

  /** Creates the method of a write that is recorded in the audit log. */
  function auditedMethod(operation: WriteOperation, handlerOf: HandlerOf) {
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
      const handler = isOfTransaction
        ? undefined
        : handleOrSelect(operation, handlerOf(args, audit), args, byEngine);
      return new LazyResult(handler ?? byEngine, rejectInList);
    };
  }

  const createRow: HandlerOf = (args, audit) => write('create', args, table, audit);
  const updateRow: HandlerOf = (args, audit) => write('update', args, table, audit);
  const deleteRow: HandlerOf = (args, audit) => write('delete', args, table, audit);

  return {
    findUnique: method('findUnique', (args) => findUnique(args, table)),
    findUniqueOrThrow: method('findUniqueOrThrow', (args) => findUniqueOrThrow(args, table)),
    findFirst: method('findFirst'),
    findFirstOrThrow: method('findFirstOrThrow'),
    findMany: method('findMany', (args) => findMany(args, table), LazyRows),
    create: method('create', createRow),
    update: method('update', updateRow),
    delete: method('delete', deleteRow),
    upsert: method('upsert'),
    createAudited: auditedMethod('create', createRow),
    updateAudited: auditedMethod('update', updateRow),
    deleteAudited: auditedMethod('delete', deleteRow),
    ...idempotentMethods(base, key, table, {
      isFault,
      onAnswer: (operation) => onAnswer?.(name, operation),
    }),
  };
}
