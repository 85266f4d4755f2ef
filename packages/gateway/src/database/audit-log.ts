import type { TextRow } from '@store-gateway/ops';
import type { GatewayDatabase } from './client.ts';

/** A change of a row, as it was noted. */
export interface AuditRecord {
  readonly at: Date;
  /** The id of an API key, or a user; null for the service itself. */
  readonly caller: string | null;
  /** Null without an API key. */
  readonly keyName: string | null;
  readonly operation: string | null;
  readonly change: string;
  readonly model: string;
  readonly rowId: string;
  readonly requestId: string | null;
}

export interface AuditFilter {
  /** Milliseconds before now. */
  readonly since?: number | undefined;
  readonly caller?: string | undefined;
  /** Any of these. */
  readonly rows: readonly { readonly model: string; readonly rowId: string }[];
  readonly limit: number;
}

/** The latest changes that fit, in the order of time. */
export async function listChanges(
  { $write }: Pick<GatewayDatabase, '$write'>,
  { since, caller, rows, limit }: AuditFilter,
): Promise<readonly AuditRecord[]> {
  const values: unknown[] = [limit];
  const parameter = (value: unknown): string => `$${values.push(value)}`;
  const conditions = [
    ...(since === undefined
      ? []
      : [`at >= now() - ${parameter(since)}::float8 * interval '1 millisecond'`]),
    ...(caller === undefined ? [] : [`caller = ${parameter(caller)}`]),
    ...(rows.length === 0
      ? []
      : [
          `(${rows
            .map(
              ({ model, rowId }) => `(model, row_id) = (${parameter(model)}, ${parameter(rowId)})`,
            )
            .join(' OR ')})`,
        ]),
  ];
  const statement = {
    name: 'list-changes',
    // Planned for its conditions.
    preparedAs: '',
    text: `
      SELECT (extract(epoch FROM at) * 1000)::bigint, caller, _gateway_api_keys.name, operation, change, model, row_id, request_id
      FROM (
        SELECT * FROM _gateway_audit_log WHERE ${['true', ...conditions].join(' AND ')} ORDER BY id DESC LIMIT $1
      ) AS latest
      LEFT JOIN _gateway_api_keys ON _gateway_api_keys.id = latest.key_id
      ORDER BY at, latest.id`,
  };
  return (await $write(statement, values)).map(recordOf);
}

const NOTE_UNAUDITED = {
  name: 'note-unaudited',
  text: `
    INSERT INTO _gateway_audit_log (caller, operation, change, model, row_id)
    VALUES ($1, $2, 'unaudited', '*', '*')`,
};

/** Notes that a caller changes rows from now on whose changes aren't noted, and why. */
export async function noteUnaudited(
  { $write }: Pick<GatewayDatabase, '$write'>,
  caller: string,
  reason: string,
): Promise<void> {
  await $write(NOTE_UNAUDITED, [caller, reason]);
}

function recordOf([
  at,
  caller = null,
  keyName = null,
  operation = null,
  change,
  model,
  rowId,
  requestId = null,
]: TextRow): AuditRecord {
  return {
    at: new Date(Number(at)),
    caller,
    keyName,
    operation,
    change: change ?? '',
    model: model ?? '',
    rowId: rowId ?? '',
    requestId,
  };
}
