import { isPlainObject, type Arguments } from './arguments.ts';
import { auditValues, type AuditEntry } from './audit.ts';
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
    await callMethod(transaction, '$executeRawUnsafe', [
      `INSERT INTO _gateway_audit_log (caller, key_id, operation, request_id, change, model, row_id)
      VALUES ($1, $2::bigint, $3, $4, $5, $6, $7)`,
      ...auditValues(audit),
      operation,
      model.name,
      String(id),
    ]);
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
