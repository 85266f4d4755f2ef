import { type GraphQLSchema, isObjectType } from 'graphql';
import { type AuditEntry, auditingClient, type Models } from '@store-gateway/data';
import { loggedRequest, StartupFailure, type TextRow } from '@store-gateway/ops';
import type { GatewayDatabase } from './client.ts';

/** A type whose rows are audited. */
export interface AuditedType {
  readonly name: string;
  readonly model: string;
}

/**
 * Returns the types with `audit: true`.
 *
 * @throws Error if a type has no model
 */
export function auditedTypes(schema: GraphQLSchema): readonly AuditedType[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || type.extensions.resource?.audit !== true) {
      return [];
    }
    const { name, extensions } = type;
    const { pothosPrismaModel: model } = extensions;
    if (model === undefined) {
      throw new Error(
        `${name} can't have audit: true: only types defined with prismaObject have rows`,
      );
    }
    return [{ name, model }];
  });
}

/**
 * Returns a client that audits changes, with the current request in each entry. All requests use the same client, so that they
 * can share reads.
 *
 * @param caller the caller to record outside of requests; null for the service itself
 */
export function audited<Client extends object>(
  client: Client,
  models: Models,
  types: readonly AuditedType[],
  caller: string | null = null,
): Client {
  const names = new Set(types.map(({ model }) => model));
  const entry = (): AuditEntry => entryOf(caller);
  return names.size === 0 ? client : auditingClient(client, { models, audited: names, entry });
}

function entryOf(otherwise: string | null): AuditEntry {
  const { id = null, keyId = otherwise, callerId, operation, mutation } = loggedRequest() ?? {};
  return {
    caller: keyId,
    keyId: callerId !== undefined && callerId > 0n ? callerId : null,
    operation: mutation ?? operation ?? null,
    requestId: id,
  };
}

/** Finds a foreign key whose ON DELETE action changes or deletes rows of a table. */
const ACTIONS = {
  name: 'referential-actions',
  text: `
    SELECT conname, confrelid::regclass FROM pg_constraint
    WHERE contype = 'f' AND confdeltype IN ('c', 'n', 'd')
      AND conrelid = to_regclass(quote_ident($1)) ORDER BY conname LIMIT 1`,
};

/**
 * Checks that all changes to audited rows can be recorded: batched statements can be generated for their models, and no
 * referential action changes the rows.
 *
 * @throws StartupFailure that says what to change
 */
export async function expectAuditable(
  schema: GraphQLSchema,
  models: Models,
  { $read }: Pick<GatewayDatabase, '$read'>,
): Promise<void> {
  for (const { name, model } of auditedTypes(schema)) {
    const generated = models[model];
    if (generated === undefined) {
      throw new StartupFailure(
        `${name} can't have audit: true, because no batched statements can be generated for its model: give ${model} a single-column id, and only columns of supported scalar or enum types`,
      );
    }
    const [action] = await $read(ACTIONS, [generated.table]);
    if (action !== undefined) {
      const [constraint, table] = action;
      throw new StartupFailure(
        `${name} has audit: true, but the database itself changes its rows when rows of ${table} are deleted: set onDelete: Restrict on the relation of ${constraint}, or remove audit: true`,
      );
    }
  }
}

/** An entry of the audit log. */
export interface AuditRecord {
  readonly at: Date;
  /** The id of an API key, or the name of a user; null for the service itself. */
  readonly caller: string | null;
  /** The name of the caller's API key; null if the caller has no key. */
  readonly keyName: string | null;
  readonly operation: string | null;
  readonly change: string;
  readonly model: string;
  readonly rowId: string;
  readonly requestId: string | null;
}

export interface AuditFilter {
  /** How far back to list changes, in milliseconds. */
  readonly since?: number | undefined;
  readonly caller?: string | undefined;
  /** The rows whose changes are listed; if it is empty, changes to all rows are listed. */
  readonly rows: readonly { readonly model: string; readonly rowId: string }[];
  readonly limit: number;
}

/** Returns the latest matching changes, oldest first. */
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
    // The statement has no name, so that PostgreSQL plans it for the given conditions.
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

const RECORD_UNAUDITED = {
  name: 'note-unaudited',
  text: `
    INSERT INTO _gateway_audit_log (caller, operation, change, model, row_id)
    VALUES ($1, $2, 'unaudited', '*', '*')`,
};

/** Records that a caller is about to change rows without audit entries, and why. */
export async function recordUnaudited(
  { $write }: Pick<GatewayDatabase, '$write'>,
  caller: string,
  reason: string,
): Promise<void> {
  await $write(RECORD_UNAUDITED, [caller, reason]);
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
