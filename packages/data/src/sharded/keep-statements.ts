import { AUDIT, audited, type AuditedChange } from '../audit.ts';
import { batchStatements, type BatchStatements } from '../batch.ts';
import { REQUEST, REQUESTS, takenFor } from '../change-once-statements.ts';
import { columnParameters, requestOf } from '../create-statements.ts';
import { KEYS, takeKeys } from '../idempotency-statements.ts';
import { jsonObject } from '../json-object.ts';
import type { Model } from '../model.ts';
import { parameterRows, valueOf } from '../parameters.ts';
import { numberedRows } from '../rows.ts';
import { quoted } from '../sql.ts';

/** What the coordinator keeps of writes. */
interface Kept {
  readonly isOnce: boolean;
  readonly isAudited: boolean;
}

/**
 * Keeps what a transaction has written on shards: takes the keys that are free, and notes the rows in the audit log. Answers with
 * the rows whose keys it has taken, or with all. Its parameters are keys and requests, the values of the audit log, and columns.
 */
export function keepAll(
  model: Model,
  operation: AuditedChange,
  { isOnce, isAudited }: Kept,
): BatchStatements {
  const { columns, name } = model;
  const isCreate = operation === 'create';
  const requested = isCreate ? [...KEYS, ...columnParameters(columns, 'p')] : REQUESTS;
  const given = [
    ...(isOnce ? requested : []),
    ...(isAudited ? AUDIT : []),
    ...columnParameters(columns, 'w'),
  ];
  const written = columns.map((column, index) => [column, valueOf(column, `w${index}`)] as const);
  const generated = written.filter(([column]) => column.generated !== undefined);
  const request = isOnce ? `, ${isCreate ? requestOf(columns) : REQUEST} AS request` : '';
  const row = isCreate ? `request || ${jsonObject(generated)}` : jsonObject(written, 'as they are');
  const what = isCreate ? name : takenFor(model, operation);
  const taken = isOnce ? `, ${takeKeys(what, ['request', row, 'requested'])}` : '';
  const note = isAudited
    ? audited(model, operation, {
        id: `w${columns.findIndex(({ field }) => field === model.id)}`,
        requested: 'requested',
        from: 'requested',
      })
    : '';
  const values = written.map(([{ column }, value]) => `${value} AS ${quoted(column)}`).join(', ');
  return batchStatements(
    `${name}.${operation}All${isOnce ? 'Once' : ''}${isAudited ? 'Audited' : ''}`,
    (size) => `
    WITH requested AS MATERIALIZED (SELECT *${request} FROM ${parameterRows(given, size)})${taken}${note}
    SELECT ${numberedRows(model, 'written', 'requested.number')}
    FROM requested${isOnce ? ' JOIN taken USING (key_id, key)' : ''}
    CROSS JOIN LATERAL (SELECT ${values}) AS written`,
  );
}
