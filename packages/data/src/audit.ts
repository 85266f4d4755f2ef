import type { Model, Models, WriteOperation } from './model.ts';
import type { Parameter } from './parameters.ts';
import { literal } from './sql.ts';

/** Whose write it is, and what for: what a row of the audit log says beside the row that was written. */
export interface AuditEntry {
  /** As logs and limits name it; null for the process itself. */
  readonly caller: string | null;
  /** Of the caller's API key, if it has one. */
  readonly keyId: bigint | null;
  /** What was requested, such as a field of Mutation. */
  readonly operation: string | null;
  readonly requestId: string | null;
}

/** Which writes are audited. */
export interface Audit {
  /** As the generator has written them. */
  readonly models: Models;
  /** The names of the models whose rows are audited. */
  readonly audited: ReadonlySet<string>;
  /** Of the write that is called now. */
  readonly entry: () => AuditEntry;
}

const COLUMNS = ['caller', 'key_id', 'operation', 'request_id'];

/**
 * Come before the values of what is audited.
 *
 * @internal
 */
export const AUDIT: readonly Parameter[] = COLUMNS.map((name) => ({
  name: `audit_${name}`,
  pgType: name === 'key_id' ? 'bigint' : 'text',
}));

/** The parameters of entries; none of writes that aren't audited. */
export function auditLists(
  inputs: readonly { readonly audit?: AuditEntry | undefined }[],
): (string | null)[][] {
  const values = inputs.flatMap(({ audit }) => (audit === undefined ? [] : [auditValues(audit)]));
  return values.length === 0
    ? []
    : COLUMNS.map((_name, index) => values.map((row) => row[index] ?? null));
}

/** Those of one entry. */
export function auditValues({
  caller,
  keyId,
  operation,
  requestId,
}: AuditEntry): (string | null)[] {
  return [caller, keyId === null ? null : String(keyId), operation, requestId];
}

/**
 * A CTE that notes each written row in the same statement.
 *
 * @param id of the row, and where it and `requested` are from
 */
export function audited(
  model: Model,
  change: WriteOperation,
  { id, from }: Readonly<Record<'id' | 'from', string>>,
): string {
  const entry = AUDIT.map(({ name }) => `requested.${name}`).join(', ');
  return `audited AS (
      INSERT INTO _gateway_audit_log (${COLUMNS.join(', ')}, change, model, row_id)
      SELECT ${entry}, ${literal(change)}, ${literal(model.name)}, ${id}::text
      FROM ${from}
    )`;
}
