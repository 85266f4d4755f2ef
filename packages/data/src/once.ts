import { createHash } from 'node:crypto';
import type { AuditEntry } from './audit.ts';
import { type Arguments, isPlainObject, methodNamed } from './calls.ts';
import { typeOf } from './column-types.ts';
import { withRule } from './guarded-client.ts';
import type { Column, Row, WriteOperation } from './model.ts';
import { callEngine, callMethod, presentRow, writeError } from './prisma-internals.ts';
import {
  hasOwnLists,
  type Projection,
  projectionOfWrite,
  projectOne,
  SELECTION,
  type Table,
} from './projection.ts';
import type { TableOptions } from './statements.ts';
import { noChange } from './write-arguments.ts';
import type { IdempotencyKey, Write } from './write-statements.ts';

/**
 * The symbol under which a change's `where` contains an object that identifies the intended change. All attempts at that change
 * share an idempotency key.
 */
export const ATTEMPT_AT = Symbol('attempt at');

/** How a request's writes are deduplicated, and the errors for writes that can't be. */
interface Deduplication {
  /** Returns the idempotency key of the next write. */
  readonly nextKey: () => IdempotencyKey;
  /**
   * For a change, returns the part of the request that a replay must repeat. Defaults to the change itself, so that a replay
   * must have the same conditions as the first request.
   */
  readonly request?: (() => string) | undefined;
  /** Called for a write that was already made under its key. */
  readonly onReplay?: (() => void) | undefined;
  /** Returns the error for a write whose key was used for a different request. */
  readonly reusedError: () => Error;
  /**
   * Returns the error for a replay whose result needs a row of the given model that no longer exists; undefined to return the
   * rest of the result.
   */
  readonly missingRowError: (model: string) => Error | undefined;
  /** Returns the error for a write that can't be made idempotent, thrown before it has any effect. Defaults to a TypeError. */
  readonly unrepeatableError?: (message: string) => Error;
}

/**
 * Returns a client whose writes all use an idempotency key: each creates, updates or deletes one row, once. Other writes couldn't
 * be retried safely, so they throw `unrepeatableError`.
 */
export function deduplicatingClient<Client extends object>(
  client: Client,
  deduplication: Deduplication,
): Client {
  const refused = (call: string): Error =>
    unrepeatable(`${call} can't be called under an idempotency key`, deduplication);
  const keys = new Map<unknown, IdempotencyKey>();
  const keyOfAttempt = (where: unknown): IdempotencyKey => {
    const change: unknown = where instanceof Object ? Reflect.get(where, ATTEMPT_AT) : undefined;
    const key = keys.get(change) ?? deduplication.nextKey();
    if (change !== undefined) {
      keys.set(change, key);
    }
    return key;
  };
  return withRule(client, {
    name: 'once',
    methodOf: ({ key: model, delegate, name }) => {
      const { does, once } = methodNamed(name) ?? {};
      if (once !== undefined && once in delegate) {
        return (args) => {
          const given = isPlainObject(args) ? args : {};
          // The key is chosen before anything is awaited, so that concurrent writes get the same keys at each attempt.
          const key = keyOfAttempt(given['where']);
          return callMethod(delegate, once, [{ ...given, deduplication, idempotencyKey: key }]);
        };
      }
      if (does !== 'read') {
        throw refused(`${model}.${name}`);
      }
      return undefined;
    },
    memberOf: (_client, name) => {
      throw refused(name);
    },
  });
}

/** Returns the error for a write that can't be made idempotent: from `unrepeatableError`, or a TypeError. */
function unrepeatable(message: string, { unrepeatableError }: Deduplication): Error {
  return unrepeatableError?.(message) ?? new TypeError(message);
}

/** The arguments of Prisma's method, and the idempotency key. */
interface OnceArguments extends Arguments {
  readonly deduplication: Deduplication;
  readonly idempotencyKey: IdempotencyKey;
  /** Whether to only return an earlier result, without writing. */
  readonly isReplayOnly?: boolean;
  readonly audit?: AuditEntry | undefined;
}

/** Past participles for error messages. */
const DONE = { create: 'created', update: 'updated', delete: 'deleted' };

interface Options extends Pick<TableOptions, 'isFault'> {
  readonly onAnswer: (operation: string) => void;
}

/**
 * Creates a model's methods `createOnce`, `updateOnce` and `deleteOnce`. They return the columns as of the first write, and
 * related rows in their current state.
 *
 * @param base Prisma's own client, in which the model is called `key`
 */
export function idempotentMethods(
  base: object,
  key: string,
  table: Table,
  { isFault, onAnswer }: Options,
) {
  const { id, name, columns, relations } = table.model;

  const required = new Set(
    columns.filter((column) => column.isRequired && !mayBeNull(column)).map(({ field }) => field),
  );

  /** Returns undefined if the row no longer exists. */
  async function selectByEngine(row: Row, selection: Arguments): Promise<Row | undefined> {
    const args = { where: { [id]: row[id] }, ...selection };
    const present = await callEngine(base, key, 'findUnique', args);
    return present instanceof Object ? Object.assign({}, present, row) : undefined;
  }

  /** Whether a row lacks a column that has been made required since the row was stored. */
  const lacksColumn = (row: Row | undefined): boolean =>
    row !== undefined && [...required].some((field) => row[field] === null);

  /** Returns the model of a missing row that a required relation refers to. */
  const lackingOne = (selected: Row): string | undefined =>
    relations.find(
      ({ kind, field, foreignKey }) =>
        kind === 'one' && selected[field] === null && required.has(foreignKey),
    )?.model;

  const refused = (
    operation: WriteOperation,
    because: string,
    deduplication: Deduplication,
  ): Error =>
    unrepeatable(
      `${name} can't be ${DONE[operation]} under an idempotency key, because of ${because}: every stored value must be passed as a column's value or generated by the database`,
      deduplication,
    );

  function writeOnce(operation: WriteOperation) {
    return async ({
      where,
      data,
      deduplication,
      idempotencyKey,
      isReplayOnly = false,
      audit,
      ...selection
    }: OnceArguments) => {
      const write =
        operation === 'create'
          ? table.encodeCreate(data)
          : isReplayOnly
            ? noChange(operation)
            : table.encodeChange(operation, { where, ...(operation === 'update' && { data }) });
      if (typeof write === 'string') {
        if (isReplayOnly) {
          return presentRow(undefined, operation, name);
        }
        throw refused(operation, write, deduplication);
      }
      const projection = projectionOfWrite(selection, table, SELECTION);
      if (operation === 'delete' && !isReadable(projection)) {
        throw refused(operation, 'its selection', deduplication);
      }
      const fingerprint =
        operation === 'create' ? '' : fingerprintOf(write, deduplication.request?.());
      const once = { key: idempotencyKey, fingerprint, isReplayOnly };
      const done = await table.write({ write, once, audit }).catch((error: unknown) => {
        throw writeError(error, name, isFault);
      });
      onAnswer(`${operation}Once`);
      const { row, isReplay, isOutdated = false } = presentRow(done, operation, name);
      if (row === undefined && !isOutdated && !isReplayOnly) {
        throw deduplication.reusedError();
      }
      const selected =
        row &&
        (projection === undefined
          ? await selectByEngine(row, selection)
          : await projectOne(row, projection));
      if (isReplay) {
        deduplication.onReplay?.();
      }
      const lacking =
        selected === undefined || (isReplay && lacksColumn(row)) ? name : lackingOne(selected);
      if (lacking !== undefined && (row !== undefined || isOutdated)) {
        const error = deduplication.missingRowError(lacking);
        if (error !== undefined) {
          throw error;
        }
      }
      return presentRow(selected, operation, name);
    };
  }

  return {
    createOnce: writeOnce('create'),
    updateOnce: writeOnce('update'),
    deleteOnce: writeOnce('delete'),
  };
}

/** Whether a required column may be read as null: JSON's own null, or a null array. */
function mayBeNull(column: Column): boolean {
  return column.isList === true || typeOf(column).hasOwnNull === true;
}

/** @param request identifies the request for a change; defaults to the change itself */
function fingerprintOf(
  { shape, id, values }: Write,
  request: string = JSON.stringify([shape.name, id, values]),
): string {
  return createHash('sha256').update(request).digest('base64');
}

/** Whether a projection can be read for a row that no longer exists. */
function isReadable(projection: Projection | undefined): boolean {
  return projection !== undefined && !hasOwnLists(projection);
}
