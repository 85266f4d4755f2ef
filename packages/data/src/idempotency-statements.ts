import type { Model } from './model.ts';
import type { Parameter } from './parameters.ts';
import { numberedRows } from './rows.ts';
import { columnOf, literal, quoted } from './sql.ts';

/** Come before the other parameters of what is requested under keys. */
export const KEYS: readonly Parameter[] = [
  { name: 'key_id', pgType: 'bigint' },
  { name: 'key', pgType: 'text' },
];

/**
 * Takes keys that are free, or were taken more than a day ago. A key that another transaction is taking is waited for, by
 * the unique index. Keys are taken in one order, so that statements never wait for each other's in a circle. A batch has
 * each key once.
 *
 * @param what they are taken for: a model, or a change of it
 * @param requests with the columns key_id and key: expressions of the request and of the row, and where they are from
 */
export function takeKeys(what: string, [request, row, from]: readonly [string, string, string]) {
  return `taken AS (
      INSERT INTO _gateway_idempotency_keys AS earlier (key_id, name, model, request, "row")
      SELECT key_id, key, ${literal(what)}, ${request}, ${row}
      FROM ${from} ORDER BY key_id, key
      ON CONFLICT (key_id, name) DO UPDATE
        SET model = excluded.model, request = excluded.request, "row" = excluded."row",
          created_at = excluded.created_at
        WHERE earlier.created_at < now() - interval '1 day'
      RETURNING key_id, earlier.name AS key
    )`;
}

/**
 * Finds what keys were taken for: the numbers of those that were taken for something else, then those that were taken
 * for the same, and their rows as they were then. A column that the table has got since is as the table has it. The keys are
 * locked, because a commit waits for a synchronous standby only after it has written something: what was done under them may
 * not be confirmed by one yet.
 *
 * @param requests the rows `requested`
 * @param conditions on `earlier` and `requested`; of a sharded database, the table isn't asked: before their rows, the statement
 *   gives what keys were taken for as JSON, by the numbers
 */
export function findTaken(
  model: Model,
  what: string,
  requests: string,
  conditions: {
    readonly isSame: string;
    readonly isTaken?: string;
    readonly isSharded?: boolean | undefined;
  },
): string {
  const { isSame, isTaken = 'true', isSharded = false } = conditions;
  const { column, pgType } = columnOf(model, model.id);
  const table = quoted(model.table);
  const present = `LEFT JOIN ${table} AS present
      ON present.${quoted(column)} = (taken."row" ->> ${literal(column)})::${pgType}
    `;
  return `
    WITH taken AS MATERIALIZED (
      SELECT number, "row", model = ${literal(what)} AND ${isSame} AS same
      FROM ${requests}
      JOIN _gateway_idempotency_keys AS earlier ON (earlier.key_id, earlier.name) = (requested.key_id, key)
        AND ${isTaken}
      FOR KEY SHARE OF earlier
    )
    SELECT (SELECT string_agg(number::text, ',') FROM taken WHERE NOT same),
      ${isSharded ? 'json_object_agg(taken.number, taken."row"), ' : ''}${numberedRows(model, 'entry', 'taken.number')}
    FROM taken
    ${isSharded ? '' : present}CROSS JOIN LATERAL jsonb_populate_record(${isSharded ? `NULL::${table}` : 'present'}, taken."row") AS entry
    WHERE taken.same`;
}
