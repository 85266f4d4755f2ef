import { isPlainObject, type Arguments } from './arguments.ts';
import { auditStatement, type AuditEntry } from './audit.ts';
import { callEngine, callMethod } from './engine.ts';
import type { Model, WriteOperation } from './model.ts';

interface EngineWrite {
  /** What Prisma's client calls the model. */
  readonly key: string;
  readonly model: Model;
  readonly operation: WriteOperation;
  readonly args: Arguments;
  readonly audit: AuditEntry;
}

/**
 * Writes a row by Prisma's engine, and notes it in the audit log, in one transaction.
 *
 * @param client Prisma's own, or that of the transaction that the write is part of
 */
export async function auditedByEngine(
  client: object,
  write: EngineWrite,
  isOfTransaction: boolean,
): Promise<unknown> {
  const writeIn = async (transaction: object): Promise<unknown> => {
    const { key, model, operation, args, audit } = write;
    const { args: withId, isAdded } = selectingId(args, model.id);
    const written = await callEngine(transaction, key, operation, withId);
    if (!isPlainObject(written)) {
      throw new TypeError(`${model.name}.${operation} returned no row`);
    }
    const { [model.id]: id, ...others } = written;
    const statement = auditStatement(model, operation, String(id), audit);
    await callMethod(transaction, '$executeRawUnsafe', statement);
    return isAdded ? others : written;
  };
  return isOfTransaction ? writeIn(client) : callMethod(client, '$transaction', [writeIn]);
}

/** The same call, whose row has its id in any case. */
function selectingId(args: Arguments, id: string): { args: Arguments; isAdded: boolean } {
  const { select, omit } = args;
  if (isPlainObject(select) && select[id] !== true) {
    return { args: { ...args, select: { ...select, [id]: true } }, isAdded: true };
  }
  if (isPlainObject(omit) && omit[id] === true) {
    return { args: { ...args, omit: { ...omit, [id]: false } }, isAdded: true };
  }
  return { args, isAdded: false };
}
