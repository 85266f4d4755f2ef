import type { Statement } from '@store-gateway/ops';
import { AUDIT } from './audit.ts';
import { batchStatements, type BatchStatements } from './batch.ts';
import { changed, changeParameters, lockedRows, newValues } from './change-statements.ts';
import type { ChangeShape } from './encode-change.ts';
import { findTaken, KEYS, takeKeys } from './idempotency-statements.ts';
import { jsonObject } from './json-object.ts';
import type { Model } from './model.ts';
import { parameterRows } from './parameters.ts';
import { quoted } from './sql.ts';

/** Come first of what is requested. */
export const REQUESTS = [...KEYS, { name: 'fingerprint', pgType: 'text' }];

/** An object, as is that of a create: whatever looks a key up expects one. */
export const REQUEST = `jsonb_build_object('fingerprint', fingerprint)`;

/**
 * Changes the rows whose keys are free: key and change in one transaction. Rows are locked before keys are taken, so that
 * a key is taken only for a row whose conditions hold, and it is known what the row is going to be.
 */
export function changeAllOnce(
  model: Model,
  shape: ChangeShape,
  audit?: 'audited',
): BatchStatements {
  const requests = audit === undefined ? REQUESTS : [...REQUESTS, ...AUDIT];
  const given = [...requests, ...changeParameters(model, shape)];
  const values = newValues(model, shape, 'stored');
  const row = model.columns.map(
    (column) => [column, values.get(column.column) ?? `stored.${quoted(column.column)}`] as const,
  );
  return batchStatements(
    `${model.name}.${shape.operation}AllOnce${audit === undefined ? '' : 'Audited'}`,
    (size) => `
    WITH requested AS MATERIALIZED (SELECT * FROM ${parameterRows(given, size)}),
    locked AS MATERIALIZED (
      SELECT parameters.number, ${jsonObject(row, 'as they are')} AS "row"
      ${lockedRows(model, shape)}
    ), ${takeKeys(takenFor(model, shape.operation), [REQUEST, '"row"', 'requested JOIN locked USING (number)'])},
    ${changed(model, shape, 'locked USING (number) JOIN taken USING (key_id, key)', audit)}`,
  );
}

/** Finds what keys were taken for. One that was taken more than a day ago is free. */
export function findChanged(
  model: Model,
  operation: ChangeShape['operation'],
  isSharded?: boolean,
): Statement {
  const requests = `(SELECT * FROM ${parameterRows(REQUESTS, 'several')}) AS requested`;
  return {
    name: `${model.name}.find${operation === 'update' ? 'Updated' : 'Deleted'}`,
    text: findTaken(model, takenFor(model, operation), requests, {
      isSame: `earlier.request = ${REQUEST}`,
      isTaken: `earlier.created_at >= now() - interval '1 day'`,
      isSharded,
    }),
  };
}

export function takenFor({ name }: Model, operation: ChangeShape['operation']): string {
  return `${name}.${operation}`;
}
